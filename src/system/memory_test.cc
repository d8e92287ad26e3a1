#include "system/memory.h"

#include <gtest/gtest.h>

namespace culprit::system {
namespace {

using Paths = std::set<std::string>;

TEST(MemorySystem, LogsEveryPathThatWasAskedFor) {
  MemorySystem system;
  system.AddFile("/a/f", "x");
  system.AddLink("/link", "a");
  EXPECT_EQ(system.accessed(), Paths{});
  (void)system.Open("/link/f");
  (void)system.Stat("/none");
  (void)system.LinkStat("/link");
  (void)system.ReadLink("/a");
  (void)system.RealPath("/a/../a");
  (void)system.List("/");
  EXPECT_EQ(system.accessed(), (Paths{"/link/f", "/none", "/link", "/a", "/a/../a", "/"}));
  system.ClearAccessed();
  EXPECT_EQ(system.accessed(), Paths{});
}

TEST(MemorySystem, MakesParentsAndPutsFilesBehindLinks) {
  MemorySystem system;
  system.AddDirectory("/usr/lib");
  system.AddLink("/lib", "usr/lib");
  system.AddFile("/lib/deep/f", "x");
  EXPECT_EQ(system.RealPath("/lib/deep/f"), "/usr/lib/deep/f");
  EXPECT_EQ(system.Stat("/usr/lib/deep")->type, FileType::kDirectory);
}

TEST(MemorySystem, ReplacingAFileMakesANewInode) {
  MemorySystem system;
  system.AddFile("/f", "old");
  const auto before = system.Open("/f");
  system.AddFile("/f", "new");
  EXPECT_NE(before->status.inode, system.Stat("/f")->inode);
  EXPECT_EQ(before->bytes->size(), 3u);
  EXPECT_EQ(ReadWholeFile(system, "/f", 10), "new");
}

TEST(MemorySystem, HardLinksShareTheInode) {
  MemorySystem system;
  system.AddFile("/f", "x", 04755);
  system.AddHardLink("/g", "/f");
  EXPECT_EQ(system.Stat("/f")->inode, system.Stat("/g")->inode);
  EXPECT_EQ(system.Stat("/g")->mode, 04755u);
}

TEST(MemorySystem, RemoveTakesTheWholeDirectoryAndNothingBeside) {
  MemorySystem system;
  system.AddFile("/a/f");
  system.AddFile("/ab");
  system.Remove("/a");
  EXPECT_FALSE(system.Stat("/a/f"));
  EXPECT_FALSE(system.Stat("/a"));
  EXPECT_TRUE(system.Stat("/ab"));
}

TEST(MemorySystem, IsWhatTheTestSays) {
  MemorySystem system;
  EXPECT_EQ(system.WorkingDirectory(), "/");
  system.SetEnvironment({{"A", "b"}});
  system.SetWorkingDirectory("/home");
  system.SetCpu({.machine = "x86_64"});
  EXPECT_EQ(system.Environment().at("A"), "b");
  EXPECT_EQ(system.WorkingDirectory(), "/home");
  EXPECT_EQ(system.HostCpu().machine, "x86_64");
}

class MemorySystemOfWindows : public testing::Test {
 protected:
  MemorySystemOfWindows() { system_.SetPlatform(base::Platform::kWindows); }
  MemorySystem system_;
};

TEST_F(MemorySystemOfWindows, FindsNamesWhateverTheirCaseAndKeepsTheSpellingOfTheFirst) {
  system_.AddFile("/C:/Program Files/a.dll", "x");
  system_.AddFile("/c:/PROGRAM FILES/B.dll", "y");
  EXPECT_EQ(ReadWholeFile(system_, "/c:/program files/A.DLL", 10), "x");
  EXPECT_EQ(system_.RealPath("/c:/program files/b.DLL"), "/C:/Program Files/B.dll");
  const auto entries = system_.List("/C:/PROGRAM FILES");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ(entries->at(0).name, "B.dll");
  EXPECT_EQ(entries->at(1).name, "a.dll");
  system_.Remove("/C:/PROGRAM FILES/A.dll");
  EXPECT_FALSE(system_.Stat("/C:/Program Files/a.dll"));
}

TEST_F(MemorySystemOfWindows, ResolvesDotsAsText) {
  system_.AddFile("/C:/d/f", "x");
  system_.AddLink("/C:/link", "/C:/d");
  EXPECT_EQ(system_.RealPath("/C:/none/../D/F"), "/C:/d/f");
  EXPECT_EQ(system_.RealPath("/C:/link/f"), "/C:/d/f");
  EXPECT_FALSE(system_.RealPath("/C:/link/../d/f/"));
}

TEST_F(MemorySystemOfWindows, HasTheDrivesThatTheTestMade) {
  system_.AddFile("/C:/f");
  system_.AddFile("/D:/f");
  EXPECT_EQ(system_.platform(), base::Platform::kWindows);
  EXPECT_EQ(system_.WorkingDirectory(), "/C:");
  EXPECT_EQ(system_.List("/")->size(), 2u);
  EXPECT_EQ(system_.Stat("/E:/f").error(), PathError::kNoEntry);
}

TEST_F(MemorySystemOfWindows, RegistryIsOutOfReachUntilItHasAKey) {
  EXPECT_EQ(system_.ReadRegistry("HKLM/SOFTWARE").error(), PathError::kNotRecorded);
  system_.AddRegistryKey("HKLM/SOFTWARE/NVIDIA Corporation", {{"Version", "1"}});
  system_.AddRegistryKey("HKLM/Software/Khronos");
  system_.AddRegistryKey("HKLM/software/nvidia corporation", {{"", "default"}});
  const auto software = system_.ReadRegistry("hklm/software");
  ASSERT_TRUE(software);
  EXPECT_EQ(software->keys, (std::vector<std::string>{"Khronos", "NVIDIA Corporation"}));
  EXPECT_TRUE(software->values.empty());
  EXPECT_EQ(system_.ReadRegistry("HKLM/SOFTWARE/NVIDIA corporation")->values,
            (std::map<std::string, std::string>{{"", "default"}, {"Version", "1"}}));
  EXPECT_EQ(system_.ReadRegistry("HKLM/SOFTWARE/none").error(), PathError::kNoEntry);
  EXPECT_TRUE(system_.accessed().contains("hklm/software"));
}

}  // namespace
}  // namespace culprit::system
