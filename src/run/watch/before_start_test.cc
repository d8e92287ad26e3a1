// What is looked at before the start, on a machine where something never answers: these tests would hang.
#include "run/watch/before_start.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "system/system.h"
#include "system/test_watched.h"

namespace culprit::watch {
namespace {

// Below a dead mount nothing answers until the gate opens. Abandoned threads share both.
class DeadMount {
 public:
  explicit DeadMount(const std::string& place)
      : machine_(std::make_shared<const system::WatchedSystem>(
            system::RealSystem(), [gate = gate_, place](const std::string& path) {
              if (path.starts_with(place)) gate->Pass();
              return system::PathError::kNone;
            })) {}
  // Abandoned threads are let go and waited for: the test program must not end under them.
  ~DeadMount() {
    gate_->Release();
    while (CountThreads() > threads_before_) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  DeadMount(const DeadMount&) = delete;
  DeadMount& operator=(const DeadMount&) = delete;

  const Machine& machine() const { return machine_; }

 private:
  static ptrdiff_t CountThreads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  }

  ptrdiff_t threads_before_ = CountThreads();
  std::shared_ptr<system::Gate> gate_ = std::make_shared<system::Gate>();
  Machine machine_;
};

TEST(BeforeStart, ADeadDirectoryOfLibrariesCostsTheirSearch) {
  const DeadMount mount("/usr/local");  // FindCupti lists it
  const Looked looked = LookBeforeStart(mount.machine(), {.command = {"sh"}, .patience = 10});
  EXPECT_TRUE(looked.cupti.empty());
  EXPECT_TRUE(looked.found.path.ends_with("/sh")) << looked.found.path;
  EXPECT_EQ(looked.reach.why_not, "");
}

TEST(BeforeStart, AProgramThatCannotBeReadIsStartedUnwatched) {
  const system::FoundProgram found = system::FindCommand("sh");
  const DeadMount mount(found.path);
  const Looked looked = LookBeforeStart(mount.machine(), {.command = {"sh"}, .patience = 10});
  EXPECT_EQ(looked.found.path, found.path);
  EXPECT_TRUE(looked.reach.harmful);
  EXPECT_EQ(looked.reach.why_not, found.path + " could not be read in time");
}

TEST(BeforeStart, NothingHangs) {
  const DeadMount mount("nowhere");
  const Looked looked =
      LookBeforeStart(mount.machine(), {.command = {"no-such-program-here"}, .patience = 10});
  EXPECT_EQ(looked.found.status, 127);
  EXPECT_EQ(looked.found.why, "no-such-program-here: command not found");
}

}  // namespace
}  // namespace culprit::watch
