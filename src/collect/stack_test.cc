// The runner of the collectors on a machine with a mount that does not answer, and on one whose system
// throws: each costs the facts that depend on it, with the reason, and nothing else.
#include "collect/stack.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <thread>

#include "system/memory.h"
#include "system/test_watched.h"

namespace culprit::collect {
namespace {

using snapshot::FactState;
using snapshot::Stack;
using std::chrono::milliseconds;
using system::WatchedSystem;

constexpr milliseconds kLimit(2000);
constexpr milliseconds kPatience(60000);  // beyond it something hangs for good
constexpr const char* kDead = "/mnt/dead";

ptrdiff_t CountThreads() { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); }

class StackRunner : public testing::Test {
 protected:
  StackRunner() {
    machine_.AddFile("/usr/bin/python3.12",
                     "\x7f"
                     "ELF",
                     0755);
    machine_.AddLink("/usr/bin/python3", "python3.12");
    machine_.AddFile("/usr/local/cuda-12.4/version.json", R"({"cuda": {"version": "12.4.1"}})");
    machine_.AddFile("/sys/module/nvidia/version", "580.95.05\n");
    machine_.AddDirectory("/sys/bus/pci/devices");
    machine_.AddDirectory("/dev");
    machine_.AddDirectory(kDead);
  }

  // Abandoned threads still look at the machine: they are let go and waited for before it dies.
  void TearDown() override {
    gate_.Release();
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (CountThreads() > threads_before_) {
      if (std::chrono::steady_clock::now() > until) {
        std::fputs("a collector does not end although nothing blocks it\n", stderr);
        std::abort();
      }
      std::this_thread::sleep_for(milliseconds(2));
    }
  }

  Stack CollectWithADeadMount(std::map<std::string, std::string> environment) {
    environment.emplace("PATH", "/usr/bin");
    const auto start = std::chrono::steady_clock::now();
    Stack stack = CollectStack(
        {.system = blocking_, .environment = std::move(environment), .working_directory = "/"}, kLimit);
    EXPECT_LT(std::chrono::steady_clock::now() - start, kLimit + kPatience);
    return stack;
  }
  Stack CollectFrom(const system::System& system) {
    return CollectStack({.system = system, .environment = {{"PATH", "/usr/bin"}}, .working_directory = "/"},
                        kPatience);
  }

  ptrdiff_t threads_before_ = CountThreads();
  system::MemorySystem machine_;
  system::Gate gate_;
  WatchedSystem blocking_{{std::shared_ptr<const void>(), &machine_}, [this](const std::string& path) {
                            if (path.starts_with(kDead)) gate_.Pass();
                            return base::PathError::kNone;
                          }};
};

template <typename T>
void ExpectTimedOut(const snapshot::Fact<T>& fact, const std::string& collector) {
  EXPECT_EQ(fact.state, FactState::kTimedOut) << collector;
  EXPECT_EQ(fact.why, "timed out; a file system may not be responding");
  EXPECT_EQ(fact.source, collector);
}

TEST_F(StackRunner, AllFactsOfAMachineThatAnswers) {
  const Stack stack = CollectWithADeadMount({});
  ASSERT_TRUE(stack.driver);
  EXPECT_EQ(stack.driver->kernel_version.value, "580.95.05");
  EXPECT_TRUE(stack.gpus);
  EXPECT_TRUE(stack.environments);
  ASSERT_TRUE(stack.toolkits);
  EXPECT_EQ(stack.toolkits->copies.size(), 1u);
  EXPECT_TRUE(stack.cudnn);
  EXPECT_TRUE(stack.context);
}

TEST_F(StackRunner, ADeadDirectoryOfLdLibraryPathCostsWhoLooksForLibraries) {
  const Stack stack = CollectWithADeadMount({{"LD_LIBRARY_PATH", "/mnt/dead/lib"}});
  ExpectTimedOut(stack.driver, "driver");
  ExpectTimedOut(stack.cudnn, "cudnn");
  EXPECT_TRUE(stack.gpus);
  EXPECT_TRUE(stack.environments);
  EXPECT_TRUE(stack.toolkits);
  EXPECT_TRUE(stack.context);
}

// Toolkits are looked for after the environments, and must have time left for it.
TEST_F(StackRunner, ADeadEnvironmentDoesNotCostTheToolkits) {
  const Stack stack = CollectWithADeadMount({{"VIRTUAL_ENV", "/mnt/dead/venv"}});
  ExpectTimedOut(stack.environments, "python");
  ExpectTimedOut(stack.cudnn, "cudnn");  // looks into VIRTUAL_ENV/lib itself
  EXPECT_TRUE(stack.driver);
  EXPECT_TRUE(stack.gpus);
  ASSERT_TRUE(stack.toolkits);
  EXPECT_EQ(stack.toolkits->copies.size(), 1u);
  EXPECT_TRUE(stack.context);
}

TEST_F(StackRunner, ADeadWorkingDirectoryCostsThePythonEnvironmentsAlone) {
  const Stack stack = CollectStack(
      {.system = blocking_, .environment = {{"PATH", "/usr/bin"}}, .working_directory = "/mnt/dead/work"},
      kLimit);
  ExpectTimedOut(stack.environments, "python");
  EXPECT_TRUE(stack.cudnn);
  EXPECT_TRUE(stack.toolkits);
  EXPECT_TRUE(stack.driver);
}

TEST_F(StackRunner, ADefectIsToldAsOneAndCostsOneFact) {
  const WatchedSystem throwing({std::shared_ptr<const void>(), &machine_}, [](const std::string& path) {
    if (path == "/proc/driver/nvidia/gpus") throw std::runtime_error("vector::at");
    return base::PathError::kNone;
  });
  const Stack stack = CollectFrom(throwing);
  EXPECT_EQ(stack.gpus.state, FactState::kUnreadable);
  EXPECT_EQ(stack.gpus.why, "internal error: vector::at");
  EXPECT_EQ(stack.gpus.source, "gpus");
  EXPECT_TRUE(stack.driver);
  EXPECT_TRUE(stack.environments);
  EXPECT_TRUE(stack.toolkits);
  EXPECT_TRUE(stack.cudnn);
  EXPECT_TRUE(stack.context);
}

TEST_F(StackRunner, EachCollectorCanFailAlone) {
  const WatchedSystem throwing(
      {std::shared_ptr<const void>(), &machine_},
      [](const std::string&) -> base::PathError { throw std::runtime_error("all fails"); });
  const Stack stack = CollectFrom(throwing);
  EXPECT_EQ(stack.driver.why, "internal error: all fails");
  EXPECT_EQ(stack.gpus.why, "internal error: all fails");
  EXPECT_EQ(stack.environments.why, "internal error: all fails");
  EXPECT_EQ(stack.toolkits.why, "internal error: all fails");
  EXPECT_EQ(stack.cudnn.why, "internal error: all fails");
  EXPECT_EQ(stack.context.why, "internal error: all fails");
}

}  // namespace
}  // namespace culprit::collect
