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

}  // namespace
}  // namespace culprit::system
