// A tree looked at as drive C:.
#include <gtest/gtest.h>

#include <thread>

#include "system/memory.h"
#include "system/system.h"

namespace culprit::system {
namespace {

template <typename T>
PathError ErrorOf(const Outcome<T>& outcome) {
  return outcome ? PathError::kNone : outcome.error();
}

class WindowsTreeTest : public testing::Test {
 protected:
  WindowsTreeTest() {
    auto files = std::make_unique<MemorySystem>();
    files_ = files.get();
    files->AddFile("/Windows/System32/nvcuda.dll", "driver");
    files->AddFile("/Program Files/NVIDIA GPU Computing Toolkit/readme.txt", "text");
    tree_ = WindowsTree(std::move(files));
  }
  MemorySystem* files_;
  std::unique_ptr<System> tree_;
};

TEST_F(WindowsTreeTest, FindsNamesWhateverTheirCase) {
  EXPECT_EQ(ReadWholeFile(*tree_, "/C:/Windows/System32/nvcuda.dll", 10), "driver");
  EXPECT_EQ(ReadWholeFile(*tree_, "/c:/WINDOWS/system32/NVCUDA.DLL", 10), "driver");
  EXPECT_EQ(ErrorOf(tree_->Open("/C:/Windows/System32/nvml.dll")), PathError::kNoEntry);
}

TEST_F(WindowsTreeTest, ExactSpellingWinsWhereTheTreeHoldsBoth) {
  files_->AddFile("/d/A.dll", "upper");
  files_->AddFile("/d/a.dll", "lower");
  EXPECT_EQ(ReadWholeFile(*tree_, "/C:/D/a.dll", 10), "lower");
  EXPECT_EQ(ReadWholeFile(*tree_, "/C:/D/A.dll", 10), "upper");
  EXPECT_EQ(ReadWholeFile(*tree_, "/C:/D/A.DLL", 10), "upper");
}

TEST_F(WindowsTreeTest, RealPathHasTheTrueCase) {
  EXPECT_EQ(tree_->RealPath("/c:/windows/SYSTEM32/nvcuda.DLL"), "/C:/Windows/System32/nvcuda.dll");
  EXPECT_EQ(tree_->RealPath("/c:"), "/C:");
  EXPECT_EQ(ErrorOf(tree_->RealPath("/C:/none")), PathError::kNoEntry);
}

TEST_F(WindowsTreeTest, LinksAreFollowedBelow) {
  files_->AddLink("/absolute", "/Windows/System32");
  files_->AddLink("/Windows/relative", "System32/nvcuda.dll");
  EXPECT_EQ(tree_->RealPath("/C:/ABSOLUTE/nvcuda.dll"), "/C:/Windows/System32/nvcuda.dll");
  EXPECT_EQ(tree_->RealPath("/C:/windows/Relative"), "/C:/Windows/System32/nvcuda.dll");
  EXPECT_EQ(tree_->LinkStat("/C:/Absolute")->type, FileType::kLink);
  EXPECT_EQ(tree_->ReadLink("/C:/Absolute"), "/C:/Windows/System32");
  EXPECT_EQ(tree_->ReadLink("/C:/Windows/RELATIVE"), "System32/nvcuda.dll");
}

TEST_F(WindowsTreeTest, DotsAreTextAndTrailingOnesAreDropped) {
  EXPECT_EQ(tree_->RealPath("/C:/none/../windows/./system32"), "/C:/Windows/System32");
  EXPECT_EQ(tree_->RealPath("/C:/../../windows. /"), "/C:/Windows");
}

TEST_F(WindowsTreeTest, FileIsNoDirectory) {
  EXPECT_EQ(ErrorOf(tree_->Stat("/C:/Windows/System32/nvcuda.dll/")), PathError::kNotDirectory);
  EXPECT_EQ(ErrorOf(tree_->Stat("/C:/Windows/System32/nvcuda.dll/x")), PathError::kNotDirectory);
  EXPECT_EQ(ErrorOf(tree_->List("/C:/Windows/System32/nvcuda.dll")), PathError::kNotDirectory);
}

TEST_F(WindowsTreeTest, HasDriveCAndKnowsNothingOfOthers) {
  const auto drives = tree_->List("/");
  ASSERT_TRUE(drives);
  ASSERT_EQ(drives->size(), 1u);
  EXPECT_EQ(drives->front().name, "C:");
  EXPECT_EQ(tree_->Stat("/")->type, FileType::kDirectory);
  EXPECT_EQ(tree_->List("/C:")->size(), 2u);
  EXPECT_EQ(ErrorOf(tree_->Stat("/D:/Windows")), PathError::kNotRecorded);
  EXPECT_EQ(ErrorOf(tree_->Stat("/UNC/server/share/x")), PathError::kNotRecorded);
  EXPECT_EQ(ErrorOf(tree_->Stat("/Windows")), PathError::kNoEntry);
  EXPECT_EQ(ErrorOf(tree_->Stat("Windows")), PathError::kOther);
}

TEST_F(WindowsTreeTest, IsAWindowsMachineWithoutRegistryOrEnvironment) {
  files_->SetEnvironment({{"PATH", "/usr/bin"}});
  EXPECT_EQ(tree_->platform(), base::Platform::kWindows);
  EXPECT_EQ(tree_->WorkingDirectory(), "/C:");
  EXPECT_TRUE(tree_->Environment().empty());
  EXPECT_EQ(tree_->HostCpu().machine, "x86_64");
  EXPECT_EQ(ErrorOf(tree_->ReadRegistry("HKLM/SOFTWARE")), PathError::kNotRecorded);
}

TEST_F(WindowsTreeTest, AsksForEachDirectoryOnce) {
  (void)tree_->Stat("/C:/windows/system32/a.dll");
  files_->ClearAccessed();
  EXPECT_EQ(ErrorOf(tree_->Stat("/C:/WINDOWS/system32/b.dll")), PathError::kNoEntry);
  EXPECT_EQ(files_->accessed(), (std::set<std::string>{"/Windows/System32/b.dll"}));
}

TEST_F(WindowsTreeTest, DirectoryThatCannotBeListedIsTriedAsSpelled) {
  files_->AddFile("/locked/a.dll", "x");
  files_->SetUnreadable("/locked");
  EXPECT_EQ(ErrorOf(tree_->Open("/C:/Locked/a.dll")), PathError::kAccess);
}

TEST_F(WindowsTreeTest, ManyThreadsMayAsk) {
  std::vector<std::thread> threads;
  std::vector<int> found(4, 0);
  for (int& count : found) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) count += tree_->Stat("/C:/WINDOWS/SYSTEM32/NVCUDA.DLL") ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, std::vector<int>(4, 200));
}

}  // namespace
}  // namespace culprit::system
