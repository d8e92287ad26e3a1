// The common command line of the gold programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::gold {

struct Options {
  std::vector<uint64_t> seeds;  // of the trees: those of --known, then --count from --seed on
  uint64_t count = 0;           // trees from the first seed on, or files
  unsigned jobs = 2;
  std::string keep;       // leave the trees in this directory
  uint64_t limit = 0;     // seconds; 0 = no limit
  bool features = false;  // print how often each feature occurred
  bool show = false;      // print what the real loader did
};

// What a program does by default: the same on every run.
struct Defaults {
  std::string_view program;  // its name in the file of --known
  uint64_t seed = 0;
  uint64_t count = 0;
};

// Prints usage and exits with 64 on anything unknown. --seed alone makes only that tree. --known FILE adds
// the trees that differed once (tests/gold/known_seeds). Throws if that file cannot be read.
Options ParseOptions(int argc, char** argv, const Defaults& defaults);

constexpr int kSkipped = 77;

// Calls `run`. An exception is printed and becomes exit status 2.
int RunMain(const char* program, int (*run)(int, char**), int argc, char** argv);

}  // namespace culprit::gold
