// data/explain/*.toml: what a line of a log shows. A signature, [[symptom.pattern]], names a symptom, never a
// cause.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace culprit::knowledge {

enum class Role {
  kFailure,
  kConsequence,  // follows from other failures; weak evidence on its own
  kHint,         // words that often accompany a failure; used only in a short text that shows nothing else
  kContext,      // a fact in the log, not a failure
  kHarmless,     // looks like a failure but is not
};

// What a build did without, so that a machine can be asked for it.
enum class Lacks : uint8_t {
  kNothing,
  kLinkName,      // -l`library`
  kHeader,        // `header`
  kNvcc,          // nvcc, or the toolkit as a whole
  kArchitecture,  // an nvcc that knows `arch`
  kHostCompiler,  // a host compiler that nvcc supports
};

struct Signature {
  std::string_view id;       // "glibc-cannot-open"
  std::string_view symptom;  // "library-not-found"; several signatures may show one
  std::string_view subject;  // what the symptom is about: "library", "driver"; the list is in docs/explain.md
  Role role;
  Lacks lacks;
  std::string_view pattern;               // RE2 over bytes; named groups are the captures
  std::span<const std::string_view> any;  // every match contains one of these, case-insensitively;
                                          // empty for hints that are tried on every line
  uint32_t lines;                         // number of lines that a match may span; 0 = 1
  std::span<const std::string_view> set;  // captures with a fixed value, "library=zlibwapi.dll"
  std::string_view note;                  // why it is harmless
  std::string_view example;               // a line that it matches; "" = the symptom speaks of no cause
};
std::span<const Signature> Signatures();

}  // namespace culprit::knowledge
