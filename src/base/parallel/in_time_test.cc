#include "base/parallel/in_time.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace culprit::base {
namespace {

constexpr std::chrono::milliseconds kLong(60'000);
constexpr std::chrono::milliseconds kShort(10);

TEST(InTime, GivesWhatTheFunctionReturns) {
  EXPECT_EQ(InTime(kLong, [] { return std::string("an answer"); }), "an answer");
}

TEST(InTime, GivesWhatTheFunctionThrows) {
  EXPECT_THROW(InTime(kLong, []() -> int { throw std::runtime_error("a defect"); }), std::runtime_error);
}

// An abandoned function keeps its arguments alive, and releases them when it ends after all.
TEST(InTime, AbandonsWhatTakesTooLong) {
  auto release = std::make_shared<std::promise<void>>();
  const std::weak_ptr<std::promise<void>> kept = release;
  std::shared_future<int> late;
  {
    std::promise<int> promise;
    late = promise.get_future().share();
    const auto answer =
        InTime(kShort, [release, held = std::make_shared<std::promise<int>>(std::move(promise))] {
          release->get_future().wait();
          held->set_value(3);
          return 1;
        });
    EXPECT_FALSE(answer);
  }
  release.reset();
  ASSERT_FALSE(kept.expired());
  kept.lock()->set_value();
  EXPECT_EQ(late.get(), 3);
}

}  // namespace
}  // namespace culprit::base
