// What a fuzz target holds true of every input.
#pragma once

#include <cstdlib>

// Stops the fuzzer, and so keeps the input that breaks it.
inline void Require(bool condition) {
  if (!condition) std::abort();
}
