#include "change/whatif/carry_out.h"

#include <gtest/gtest.h>

#include "binfmt/cache/ld_so_cache.h"
#include "binfmt/elf/elf.h"
#include "binfmt/elf/write.h"
#include "binfmt/gpu/fatbin.h"
#include "binfmt/testing/host.h"
#include "system/memory.h"

namespace culprit::whatif {
namespace {

using system::MemorySystem;
using system::System;

std::shared_ptr<const System> Now(const MemorySystem& before, std::vector<report::Change> changes) {
  auto machine = CarryOut({std::shared_ptr<const void>(), &before}, changes);
  if (!machine) {
    ADD_FAILURE() << machine.error().message;
    return {std::shared_ptr<const void>(), &before};
  }
  return *machine;
}

std::string Why(const MemorySystem& before, std::vector<report::Change> changes) {
  const auto machine = CarryOut({std::shared_ptr<const void>(), &before}, changes);
  return machine ? "" : machine.error().message;
}

class OnLinux : public testing::Test {
 protected:
  OnLinux() { before.SetCpu({.machine = "x86_64", .platform = "x86_64"}); }
  MemorySystem before;
};

TEST_F(OnLinux, EverySpellingOfAnElementGoesAndAnEmptyListIsUnset) {
  before.SetEnvironment({{"LD_LIBRARY_PATH", "/a/:/b;/a//:./a"}, {"PATH", "/a"}, {"X", ":/x:"}});
  EXPECT_EQ(Now(before, {report::DropFromList{"LD_LIBRARY_PATH", "/a"}})->Environment().at("LD_LIBRARY_PATH"),
            "/b:./a");
  EXPECT_FALSE(Now(before, {report::DropFromList{"PATH", "/a/"}})->Environment().contains("PATH"));
  EXPECT_EQ(Now(before, {report::DropFromList{"X", ""}})->Environment().at("X"), "/x");
  EXPECT_EQ(Now(before, {report::AddToList{"PATH", "/n"}, report::AddToList{"NEW", "/n"}})
                ->Environment()
                .at("PATH"),
            "/n:/a");
  EXPECT_NE(Why(before, {report::DropFromList{"PATH", "/other"}}).find("/other"), std::string::npos);
  EXPECT_NE(Why(before, {report::DropFromList{"NONE", "/a"}}).find("NONE"), std::string::npos);
}

TEST_F(OnLinux, ChangesAreMadeInTheirOrder) {
  before.AddFile("/etc/x", "old", 0600);
  const auto now = Now(
      before, {report::RemoveFile{"/etc/x"}, report::PutLink{"/etc/x", "y"}, report::PutText{"/etc/y", "new"},
               report::SetMode{"/etc/y", 0640}, report::PutDevice{"/dev/nvidia0", 0666}});
  EXPECT_EQ(system::ReadWholeFile(*now, "/etc/x", 10), "new");
  EXPECT_EQ(now->Stat("/etc/y")->mode, 0640u);
  EXPECT_EQ(now->Stat("/dev/nvidia0")->type, system::FileType::kOther);
  EXPECT_EQ(Now(before, {report::PutText{"/etc/x", "new"}})->Stat("/etc/x")->mode, 0600u);
}

TEST_F(OnLinux, WhatIsNotThereCannotBeRemovedAndWhatNoFileShowsCannotBeMade) {
  EXPECT_NE(Why(before, {report::RemoveFile{"/none"}}).find("/none"), std::string::npos);
  EXPECT_NE(Why(before, {report::SetMode{"/none", 0644}}).find("/none"), std::string::npos);
  EXPECT_EQ(Why(before, {report::NotInFiles{"another GPU", "nvidia-smi would list it"}}),
            "another GPU: nvidia-smi would list it");
}

TEST_F(OnLinux, LdconfigMakesLinksRemovesDeadOnesAndWritesItsCache) {
  before.AddFile("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n# /never\n");
  before.AddFile("/etc/ld.so.conf.d/cuda.conf", "/opt/cuda/lib64 \n");
  before.AddFile("/etc/ld.so.conf.d/README", "/never\n");
  for (const char* file : {"/opt/cuda/lib64/liba.so.1.2", "/opt/cuda/lib64/liba.so.1.10", "/never/libn.so.1"})
    before.AddFile(file, binfmt::BuildElf({.soname = "liba.so.1"}));
  before.AddLink("/opt/cuda/lib64/liba.so", "liba.so.1.2");
  before.AddLink("/opt/cuda/lib64/libdead.so.3", "libdead.so.3.1");
  before.AddFile("/opt/cuda/lib64/libtext.so", "INPUT(x)");
  before.AddFile("/usr/lib/x86_64-linux-gnu/libb.so.2", binfmt::BuildElf({.soname = "libb.so.2"}));
  before.AddLink("/lib", "usr/lib");
  const auto now = Now(before, {report::RefreshCache{}});
  EXPECT_EQ(now->ReadLink("/opt/cuda/lib64/liba.so.1"), "liba.so.1.10");
  EXPECT_EQ(now->LinkStat("/opt/cuda/lib64/libdead.so.3").error(), base::PathError::kNoEntry);
  const auto bytes = system::ReadWholeFile(*now, "/etc/ld.so.cache", 1 << 20);
  ASSERT_TRUE(bytes);
  const auto cache = binfmt::ReadLdCache(binfmt::AsSource(*bytes));
  ASSERT_TRUE(cache);
  std::vector<std::string> lines;
  for (const auto& entry : cache->entries)
    lines.push_back(std::string(entry.name) + " (" + binfmt::LdCacheFlagsName(entry.flags) + ") => " +
                    std::string(entry.path));
  EXPECT_EQ(lines, (std::vector<std::string>{"libb.so.2 (libc6,x86-64) => /lib/x86_64-linux-gnu/libb.so.2",
                                             "liba.so.1 (libc6,x86-64) => /opt/cuda/lib64/liba.so.1",
                                             "liba.so (libc6,x86-64) => /opt/cuda/lib64/liba.so"}));
}

void WriteTree(const binfmt::testing::TemporaryDirectory& root) {
  root.Write("etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n/one # why\n/none\n");
  root.Write("etc/ld.so.conf.d/b.conf", "/two/\n");
  root.Write("etc/ld.so.conf.d/a.conf", "/three\ninclude b.conf\n");
  root.Write("etc/ld.so.conf.d/ignored", "/four\n");
  const auto library = [&](const std::string& path, const char* soname) {
    binfmt::ElfSpec spec{.machine = binfmt::testing::NativeMachine(), .needed = {"libc.so.6"}};
    if (soname != nullptr) spec.soname = soname;
    root.Write(path, binfmt::BuildElf(spec));
  };
  for (const char* directory : {"lib", "usr/lib", "one", "two", "three", "four"})
    std::filesystem::create_directories(root.path() + "/" + directory);
  library("one/liba.so.1.2", "liba.so.1");
  library("one/liba.so.1.10", "liba.so.1");
  library("one/libplain.so", nullptr);
  library("one/notalib.so.1", "notalib.so.1");
  library("two/liba.so.1", "liba.so.1");
  library("two/libfile.so.2.0", "libfile.so.2");
  library("two/libfile.so.2", "libfile.so.2");  // a file where ldconfig wants its link
  library("three/glibc-hwcaps/x86-64-v3/libz.so.1.3", "libz.so.1");
  library("three/libz.so.1.3", "libz.so.1");
  library("four/libfour.so.4", "libfour.so.4");
  library("usr/lib/libdefault.so.5.1", "libdefault.so.5");
  root.Write("one/libtext.so", "INPUT(x)");
  root.Write("one/libempty.so.1", "");
  for (const auto& [path, target] : {std::pair("one/liba.so", "liba.so.1.2"),
                                     {"one/liba.so.1", "liba.so.1.2"},
                                     {"one/libdead.so.3", "libdead.so.3.1"},
                                     {"one/libdead.so", "libdead.so.3"},
                                     {"three/libz.so", "libz.so.1.3"},
                                     {"three/libzz.so.7", "libz.so.1.3"}})
    std::filesystem::create_symlink(target, root.path() + "/" + path);
}

// The same tree given to ldconfig itself: its cache and its links are the gold standard.
TEST(RefreshCacheGold, IsWhatLdconfigDoes) {
  constexpr const char* kLdconfig = "/sbin/ldconfig";
  const binfmt::testing::TemporaryDirectory root;
  if (!std::filesystem::exists(kLdconfig) || binfmt::testing::NativeMachine() == 0)
    GTEST_SKIP() << "no ldconfig here, or a machine that the tests have no files for";
  WriteTree(root);
  const auto before = system::RootedSystem(root.path());
  ASSERT_TRUE(before);
  const auto now = CarryOut(std::shared_ptr<const System>(std::move(*system::RootedSystem(root.path()))),
                            std::vector<report::Change>{report::RefreshCache{}});
  ASSERT_TRUE(now) << now.error().message;
  const auto told = [](const System& machine) {
    std::vector<std::string> lines;
    const auto bytes = system::ReadWholeFile(machine, "/etc/ld.so.cache", 1 << 20);
    const auto cache = binfmt::ReadLdCache(binfmt::AsSource(bytes.value_or("")));
    if (!cache) return lines;
    for (const auto& entry : cache->entries) {
      lines.push_back(std::string(entry.name) + " " + std::string(entry.path) + " " +
                      binfmt::LdCacheFlagsName(entry.flags) + " " + std::string(entry.hwcaps_dir));
    }
    for (const char* directory : {"/one", "/two", "/three", "/usr/lib"}) {
      const auto entries = machine.List(directory);
      if (!entries) continue;
      for (const auto& entry : *entries) {
        const std::string path = std::string(directory) + "/" + entry.name;
        lines.push_back(path + " " + machine.ReadLink(path).value_or("(file)"));
      }
    }
    return lines;
  };
  const std::vector<std::string> ours = told(**now);
  EXPECT_FALSE(std::filesystem::exists(root.path() + "/etc/ld.so.cache"));
  binfmt::testing::Output(std::string(kLdconfig) + " -r " + root.path());
  if (!std::filesystem::exists(root.path() + "/etc/ld.so.cache"))
    GTEST_SKIP() << "ldconfig -r needs rights that this test does not have";
  EXPECT_EQ(ours, told(**before));
}

TEST_F(OnLinux, ALibraryClaimsWhatItsNameAndTheTablesTell) {
  const auto now = Now(before, {report::PutLibrary{.path = "/x/libcudnn_graph.so.9", .version = "9.10.2"},
                                report::PutLibrary{.path = "/x/libcublas.so.12", .version = "12.4.5.8"}});
  const auto graph = now->Open("/x/libcudnn_graph.so.9");
  ASSERT_TRUE(graph && graph->bytes);
  const auto elf = binfmt::ReadElf(*graph->bytes);
  EXPECT_EQ(elf.soname, "libcudnn_graph.so.9");
  EXPECT_EQ(elf.machine, 62);
  EXPECT_EQ(binfmt::ReadElfWord(*graph->bytes, elf, "cudnn_graph_version"), 9u << 16 | 10 << 8 | 2);
  // It says its version nowhere but in its name.
  EXPECT_EQ(now->ReadLink("/x/libcublas.so.12"), "libcublas.so.12.4.5.8");
}

TEST_F(OnLinux, ALibraryLikeAnotherHasItsClaimsButForWhatIsSaid) {
  before.AddFile("/x/liba.so",
                 binfmt::BuildElf({.soname = "liba.so", .needed = {"libc.so.6"}, .runpath = "$ORIGIN"}));
  const auto now = Now(
      before,
      {report::PutLibrary{.path = "/y/liba.so", .like = "/x/liba.so", .gpu_code = {"sm_90a", "compute_90"}}});
  const auto file = now->Open("/y/liba.so");
  ASSERT_TRUE(file && file->bytes);
  const auto elf = binfmt::ReadElf(*file->bytes);
  EXPECT_EQ(elf.soname, "liba.so");
  EXPECT_EQ(elf.runpath, "$ORIGIN");
  ASSERT_EQ(elf.requests.size(), 1u);
  const auto code = binfmt::ReadGpuCode(*file->bytes, elf, binfmt::GpuScan::kFatbinSections);
  ASSERT_EQ(code.containers.size(), 1u);
  ASSERT_EQ(code.containers[0].targets.size(), 2u);
  EXPECT_EQ(code.containers[0].targets[0].Name(), "sm_90a");
  EXPECT_NE(Why(before, {report::PutLibrary{.path = "/y/b", .like = "/none"}}), "");
}

}  // namespace
}  // namespace culprit::whatif
