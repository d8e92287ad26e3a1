// A process that is killed while it writes leaves an event without kind, or (between two instructions) even
// without size. The first is skipped; after the second the next place that looks like an event is taken.
#include "run/watch/journal/events.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "run/witness/journal.h"

namespace culprit::watch {
namespace {

constexpr size_t kMaxFields = 1024;

template <typename T>
T At(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Where events end.
size_t EndOf(std::string_view bytes) {
  const uint64_t used = At<uint64_t>(bytes, offsetof(CulpritJournal, used));
  return static_cast<size_t>(std::min<uint64_t>(used, bytes.size())) / 8 * 8;
}

bool Fits(const CulpritEvent& event, size_t room) {
  return event.size >= sizeof event && event.size % 8 == 0 && event.size <= room;
}

bool LooksLikeEvent(const CulpritEvent& event, size_t room) {
  return Fits(event, room) && event.kind >= kCulpritStart && event.kind <= kCulpritReady &&
         event.process > 0 && event.thread > 0;
}

void SplitFields(std::string_view text, std::vector<std::string_view>& fields) {
  fields.clear();
  while (!text.empty() && fields.size() < kMaxFields) {
    const size_t end = std::min(text.find('\0'), text.size());
    fields.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (!fields.empty() && fields.back().empty()) fields.pop_back();
}

}  // namespace

uint64_t JournalEvent::Number(size_t field) const {
  const std::string_view text = Text(field);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

bool IsJournal(std::string_view bytes) {
  return bytes.size() >= sizeof(CulpritJournal) && At<uint64_t>(bytes, 0) == CULPRIT_JOURNAL_MAGIC;
}

uint64_t ForEachEvent(std::string_view bytes, const std::function<void(const JournalEvent&)>& see) {
  if (!IsJournal(bytes)) return 0;
  uint64_t lost = At<uint64_t>(bytes, offsetof(CulpritJournal, lost));
  const size_t end = EndOf(bytes);
  JournalEvent event;
  bool astray = false;
  for (size_t at = sizeof(CulpritJournal); at < end && end - at >= sizeof(CulpritEvent);) {
    const auto header = At<CulpritEvent>(bytes, at);
    if (astray ? !LooksLikeEvent(header, end - at) : !Fits(header, end - at)) {
      astray = true;
      at += 8;
      continue;
    }
    if (astray || header.kind == 0) lost += lost != UINT64_MAX;
    astray = false;
    if (header.kind != 0) {
      event.kind = header.kind;
      event.process = header.process;
      event.thread = header.thread;
      event.at = header.at;
      SplitFields(bytes.substr(at + sizeof header, header.size - sizeof header), event.fields);
      see(event);
    }
    at += header.size;
  }
  // At the end of a full journal there is a rest that was counted when it did not suffice.
  const bool full = At<uint64_t>(bytes, offsetof(CulpritJournal, used)) > bytes.size();
  if (astray && !full) lost += lost != UINT64_MAX;
  return lost;
}

std::vector<JournalSlot> OpenSlots(std::string_view bytes) {
  std::vector<JournalSlot> open;
  if (!IsJournal(bytes)) return open;
  for (size_t i = 0; i < kCulpritJournalSlots; ++i) {
    const size_t at = offsetof(CulpritJournal, slots) + i * sizeof(CulpritSlot);
    const auto slot = At<CulpritSlot>(bytes, at);
    if (slot.process <= 0 || slot.since == 0) continue;
    const std::string_view name = bytes.substr(at + offsetof(CulpritSlot, function), kCulpritNameSize);
    open.push_back({slot.process, slot.thread, slot.since, name.substr(0, name.find('\0'))});
  }
  return open;
}

}  // namespace culprit::watch
