// What glibc makes of one file that it opened: usable, passed over, or the end of the whole load, in the
// order and in the words of its own checks (elf/dl-load.c: open_verify, then mapping).
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
  bool fatal = false;             // ends the load; otherwise not found here and the search goes on
  bool crash = false;             // fatal without a word: the process dies by SIGBUS
  bool executable_stack = false;  // fatal because it asks for one
  base::PathError error = base::PathError::kNone;  // errno after a candidate that was passed over
  std::string text;                                // what the loader says about it: "file too short"
  std::string reason;                              // and the strerror() words after it, if any
};

// First the header, on every candidate of a search. On kFound the search ends.
Verdict VerifyCandidate(const snapshot::FileFacts& facts, const LoaderKind& kind);

struct MapMode {
  bool dlopen = false;
  bool stack_is_executable = false;  // the program already runs with one
};
// Then mapping it, once, on the file that was found and is not loaded yet.
Verdict VerifyMapping(const binfmt::ElfFile& elf, const LoaderKind& kind, const MapMode& mode);

}  // namespace culprit::loader
