// What glibc does with one file that it opened: use it, skip it, or end the whole load, with the order and
// messages of its own checks (elf/dl-load.c: open_verify, then mapping).
#pragma once

#include <cstdint>
#include <string>

#include "loader/load_graph.h"

namespace culprit::loader {

struct LoaderKind {  // what the running ld.so accepts
  uint16_t machine = 0;
  int bits = 64;
  bool big_endian = false;
  uint64_t page_size = 4096;
  int minor_version = 36;  // glibc 2.x
};

struct Verdict {
  Outcome outcome = Outcome::kFound;
  bool fatal = false;                              // ends the load; otherwise the search continues
  bool crash = false;                              // fatal without a message: SIGBUS kills the process
  bool executable_stack = false;                   // fatal because it requires one
  base::PathError error = base::PathError::kNone;  // errno after a skipped candidate
  std::string text;                                // what the loader says about it: "file too short"
  std::string reason;                              // and the strerror() text after it, if any
};

// First the header, for every candidate of a search. kFound ends the search.
Verdict VerifyCandidate(const snapshot::FileFacts& facts, const LoaderKind& kind);

struct MapMode {
  bool dlopen = false;
  bool stack_is_executable = false;  // the program already runs with one
};
// Then the mapping, once, for the file that was found and is not loaded yet.
Verdict VerifyMapping(const binfmt::ElfFile& elf, const LoaderKind& kind, const MapMode& mode);

}  // namespace culprit::loader
