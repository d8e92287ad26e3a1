#include "system/noted.h"

#include <gtest/gtest.h>

#include <thread>

#include "system/memory.h"
#include "system/test_watched.h"

namespace culprit::system {
namespace {

using base::Unread;
using Unreads = std::map<std::string, Unread>;

TEST(NotedSystem, NamesTheDirectoryThatRefuses) {
  const auto machine = std::make_shared<MemorySystem>();
  machine->AddFile("/usr/local/cuda-12.4/lib64/libcudnn.so.9", "x");
  machine->AddFile("/usr/lib/libcuda.so.1", "x");
  machine->AddLink("/usr/local/cuda", "cuda-12.4");
  machine->SetUnreadable("/usr/local/cuda-12.4");
  machine->SetUnreadable("/usr/lib/libcuda.so.1");
  const NotedSystem noted(machine);
  EXPECT_FALSE(noted.List("/usr/local/cuda/lib64"));
  EXPECT_FALSE(noted.Open("/usr/local/cuda-12.4/lib64/libcudnn.so.9"));
  EXPECT_FALSE(noted.Open("/usr/lib/libcuda.so.1"));
  EXPECT_FALSE(noted.Open("/nowhere"));
  EXPECT_FALSE(noted.List("/usr/lib/libcuda.so.1"));
  EXPECT_EQ(noted.unread(),
            (Unreads{{"/usr/local/cuda-12.4", Unread::kAccess}, {"/usr/lib/libcuda.so.1", Unread::kAccess}}));
  EXPECT_EQ(noted.NamesOf("/usr/local/cuda-12.4"), std::set<std::string>{"/usr/local/cuda"});
}

TEST(NotedSystem, TellsAnErrorOfTheDiskFromOneOfRights) {
  const auto machine = std::make_shared<MemorySystem>();
  machine->AddFile("/opt/a");
  const NotedSystem noted(std::make_shared<WatchedSystem>(machine, [](const std::string& path) {
    return path == "/opt" ? PathError::kOther : PathError::kNone;
  }));
  EXPECT_FALSE(noted.List("/opt"));
  EXPECT_TRUE(noted.Stat("/opt/a"));
  EXPECT_EQ(noted.unread(), (Unreads{{"/opt", Unread::kInputOutput}}));
}

TEST(NotedSystem, NotesAFileThatIsLargerThanItsReaderTakes) {
  const auto machine = std::make_shared<MemorySystem>();
  machine->AddFile("/a", "12345");
  const NotedSystem noted(machine);
  EXPECT_TRUE(ReadWholeFile(noted, "/a", 5));
  EXPECT_TRUE(noted.unread().empty());
  EXPECT_FALSE(ReadWholeFile(noted, "/a", 4));
  EXPECT_EQ(noted.unread(), (Unreads{{"/a", Unread::kTooMuch}}));
}

TEST(NotedSystem, KnowsWhatHasNoAnswerYet) {
  const auto machine = std::make_shared<MemorySystem>();
  Gate asked, answer;
  const NotedSystem noted(std::make_shared<WatchedSystem>(machine, [&](const std::string& path) {
    if (path == "/dead") {
      asked.Release();
      answer.Pass();
    }
    return PathError::kNone;
  }));
  std::thread reader([&] { EXPECT_FALSE(noted.Stat("/dead")); });
  asked.Pass();
  EXPECT_FALSE(noted.Stat("/other"));
  EXPECT_EQ(noted.Waiting(std::chrono::milliseconds(0)), std::vector<std::string>{"/dead"});
  EXPECT_TRUE(noted.Waiting(std::chrono::hours(1)).empty());
  answer.Release();
  reader.join();
  EXPECT_TRUE(noted.Waiting(std::chrono::milliseconds(0)).empty());
}

}  // namespace
}  // namespace culprit::system
