// Work on many files at once: most of the time of reading one is spent waiting for the system.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

#include "base/in_time.h"

namespace culprit::base {

// Calls work(0) ... work(count - 1), in no order, in as many threads as there are processors, at most 8. A
// thread gets `share` of them or more: starting one takes as long as reading a file or two.
template <typename Work>
void InParallel(size_t count, size_t share, const Work& work) {
  constexpr size_t kMostThreads = 8;
  std::atomic<size_t> next = 0;
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::future<void>> others;
  const size_t threads = std::min<size_t>({kMostThreads, std::thread::hardware_concurrency(), count / share});
  for (size_t i = 1; i < threads; ++i) others.push_back(StartAside(run));
  run();
  for (std::future<void>& other : others) other.get();
}

}  // namespace culprit::base
