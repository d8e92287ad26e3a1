// A text -> what it shows: symptoms, and what it ends with if none of them is a failure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes/byte_stream.h"
#include "explain/logs/error_lines.h"
#include "explain/logs/symptom.h"

namespace culprit::logs {

struct ReadText {
  std::vector<Symptom> symptoms;
  uint64_t lines = 0;
  // An error that no signature knows, where no symptom is a failure.
  std::optional<ErrorLine> unknown;
  // A failure that the text only speaks of, where it shows none.
  std::optional<ErrorLine> mentioned = {};
};

enum class Origin {
  kPasted,
  kWatched,  // the output of a program that culprit ran: how it ended is known, and not judged by its words
};

// Reads a whole stream. A short text is read again with its broken lines joined, if more fails that way.
base::Result<ReadText> ReadLog(base::ByteStream& stream, size_t input = 0, Origin origin = Origin::kPasted);

}  // namespace culprit::logs
