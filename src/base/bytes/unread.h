// Why a place could not be looked at although it is there. Recorded in snapshots.
#pragma once

#include <array>
#include <string_view>

namespace culprit::base {

enum class Unread {
  kAccess,         // EACCES, EPERM
  kInputOutput,    // EIO, ESTALE and the like
  kNoAnswer,       // still waiting when time was over
  kTooMuch,        // more entries or bytes than are read
  kNotUnderstood,  // read, but damaged or of another format
};
// Stable, for JSON.
constexpr std::array<std::string_view, 5> WordsOf(Unread) {
  return {"access", "input-output", "no-answer", "too-much", "not-understood"};
}

}  // namespace culprit::base
