// The command line that the gold programs share.
#pragma once

#include <cstdint>
#include <string>

namespace culprit::gold {

struct Options {
  uint64_t seed = 0;   // of the first tree; the others follow it
  uint64_t count = 0;  // trees, or files
  unsigned jobs = 2;
  std::string keep;       // leave the trees in this directory
  uint64_t limit = 0;     // seconds; 0 = no limit
  bool features = false;  // print how often each feature occurred
  bool show = false;      // print what the real loader did
};

// Prints usage and exits with 64 on anything unknown. Without --seed a fresh one is drawn and `count` trees
// are made; with --seed alone just that one.
Options ParseOptions(int argc, char** argv, uint64_t default_count);

constexpr int kSkipped = 77;

}  // namespace culprit::gold
