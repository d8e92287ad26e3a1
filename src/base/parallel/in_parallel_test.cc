#include "base/parallel/in_parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace culprit::base {
namespace {

TEST(InParallel, EverythingIsDoneOnce) {
  for (const size_t count : {0u, 1u, 7u, 1000u}) {
    std::vector<std::atomic<int>> done(count);
    InParallel(count, 1, [&](size_t i) { ++done[i]; });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(InParallel, SeveralCallersAtATimeAndOneInsideAnother) {
  std::atomic<size_t> sum = 0;
  const auto add = [&](size_t i) { sum += i; };
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&] { InParallel(10, 1, [&](size_t) { InParallel(100, 2, add); }); });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 8u * 10u * 4950u);
}

TEST(InParallel, WhatIsThrownComesOut) {
  EXPECT_THROW(InParallel(100, 1,
                          [](size_t i) {
                            if (i == 50) throw std::runtime_error("no");
                          }),
               std::runtime_error);
}

// Helpers that hang (a dead mount) take nothing with them that they have not begun.
TEST(InParallel, OthersGoOnWhileSomeHang) {
  std::atomic<bool> answer = false;
  std::thread hung([&] {
    InParallel(64, 1, [&](size_t) {
      while (!answer) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  std::atomic<int> done = 0;
  InParallel(50, 1, [&](size_t) { ++done; });
  EXPECT_EQ(done, 50);
  answer = true;
  hung.join();
}

}  // namespace
}  // namespace culprit::base
