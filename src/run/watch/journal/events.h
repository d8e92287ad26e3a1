// The events of a journal (witness/journal.h), in order. Any bytes give an answer.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace culprit::watch {

struct JournalEvent {
  uint32_t kind = 0;
  int64_t process = 0;
  int64_t thread = 0;
  uint64_t at = 0;                       // CLOCK_MONOTONIC, ns
  std::vector<std::string_view> fields;  // into the bytes; empty ones at the end are left out

  std::string_view Text(size_t field) const {
    return field < fields.size() ? fields[field] : std::string_view();
  }
  uint64_t Number(size_t field) const;  // 0 if it is not a 64-bit hex number
};

struct JournalSlot {
  int64_t process = 0;
  int64_t thread = 0;
  uint64_t since = 0;
  std::string_view function;
};

// False if the bytes are not a journal.
bool IsJournal(std::string_view bytes);
// Events that could not be written or read.
uint64_t ForEachEvent(std::string_view bytes, const std::function<void(const JournalEvent&)>& see);
// CUDA calls that did not return.
std::vector<JournalSlot> OpenSlots(std::string_view bytes);

}  // namespace culprit::watch
