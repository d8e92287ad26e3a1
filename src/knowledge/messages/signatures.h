// data/signatures.toml: what a line of a log shows. A signature names a symptom, never a cause.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace culprit::knowledge {

enum class Role {
  kFailure,
  kConsequence,  // follows from other failures; weak evidence when it stands alone
  kHint,         // words that a failure goes with; heard in a short text that shows nothing else
  kContext,      // a fact that the log tells, no failure
  kHarmless,     // looks like a failure and is none
};

struct Signature {
  std::string_view id;       // "glibc-cannot-open"
  std::string_view symptom;  // "library-not-found"; several signatures may show one
  Role role;
  std::string_view pattern;               // RE2 over bytes; named groups are the captures
  std::span<const std::string_view> any;  // every match contains one of these, in any case;
                                          // empty for hints that are asked of every line
  uint32_t lines;                         // that a match may span; 0 = 1
  std::span<const std::string_view> set;  // captures with a fixed value, "library=zlibwapi.dll"
  std::string_view note;                  // why it is harmless
};
std::span<const Signature> Signatures();

}  // namespace culprit::knowledge
