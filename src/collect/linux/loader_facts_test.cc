#include "collect/linux/loader_facts.h"

#include <elf.h>
#include <gtest/gtest.h>

#include "binfmt/elf/write.h"
#include "collect/look.h"
#include "system/memory.h"

namespace culprit::collect {
namespace {

using binfmt::BuildElf;
using Strings = std::vector<std::string>;

binfmt::ElfFile X86() { return {.ident = {0x7f, 'E', 'L', 'F', ELFCLASS64}, .machine = EM_X86_64}; }

std::string Joined(const Strings& strings) {
  std::string bytes(1, '\0');
  for (const std::string& text : strings) bytes += text + '\0';
  return bytes;
}

TEST(LoaderFacts, ReadsCompiledInDirectoriesAndVersion) {
  system::MemorySystem system;
  system.AddFile("/lib64/ld.so", BuildElf({.soname = "ld-linux-x86-64.so.2"}) +
                                     Joined({"/not/a list", "/lib64/", "/usr/lib64/", "lib64",
                                             "ld.so (GNU libc) stable release version 2.34.\n"}));
  const auto facts = ReadLoaderFacts(system, "/lib64/ld.so", X86());
  EXPECT_EQ(facts.flavor, snapshot::LoaderFlavor::kGlibc);
  EXPECT_EQ(facts.system_dirs, (Strings{"/lib64/", "/usr/lib64/"}));
  EXPECT_EQ(facts.lib_token, "lib64");
  EXPECT_EQ(facts.version, "2.34");
  EXPECT_EQ(facts.soname, "ld-linux-x86-64.so.2");
  EXPECT_EQ(facts.assumptions, Strings{});
}

TEST(LoaderFacts, ReadsTheVersionOfAnOldLoaderFromItsFileName) {
  system::MemorySystem system;
  system.AddFile("/lib/ld-2.31.so", BuildElf({}) + Joined({"/lib/", "/usr/lib/"}));
  system.AddLink("/lib64/ld-linux-x86-64.so.2", "/lib/ld-2.31.so");
  EXPECT_EQ(ReadLoaderFacts(system, "/lib64/ld-linux-x86-64.so.2", X86()).version, "2.31");
}

TEST(LoaderFacts, AMissingLoaderIsAssumedAndSaidSo) {
  system::MemorySystem system;
  system.AddDirectory("/usr/lib/x86_64-linux-gnu");
  const auto facts = ReadLoaderFacts(system, "/lib64/ld-linux-x86-64.so.2", X86());
  EXPECT_EQ(facts.system_dirs.front(), "/lib/x86_64-linux-gnu/");
  EXPECT_EQ(facts.assumptions.size(), 2u);
}

TEST(LoaderFacts, MuslReadsItsPathFile) {
  system::MemorySystem system;
  system.AddFile("/lib/ld-musl-x86_64.so.1", BuildElf({}));
  EXPECT_FALSE(ReadLoaderFacts(system, "/lib/ld-musl-x86_64.so.1", X86()).path_file);
  system.AddFile("/etc/ld-musl-x86_64.path", "/a\n/b");
  const auto facts = ReadLoaderFacts(system, "/lib/ld-musl-x86_64.so.1", X86());
  EXPECT_EQ(facts.flavor, snapshot::LoaderFlavor::kMusl);
  EXPECT_EQ(*facts.path_file, "/a\n/b");
}

TEST(LoaderFacts, ALibraryThatNeedsMuslsLibcRunsUnderMusl) {
  binfmt::ElfFile elf = X86();
  EXPECT_EQ(UsualInterpreter(elf), "/lib64/ld-linux-x86-64.so.2");
  elf.requests = {{binfmt::ElfRequest::Kind::kNeeded, "libc.musl-x86_64.so.1"}};
  EXPECT_EQ(UsualInterpreter(elf), "/lib/ld-musl-x86_64.so.1");
}

TEST(LoaderFacts, OfATreeItsOwnCpuCounts) {
  const std::string arm = BuildElf({.machine = EM_AARCH64});
  system::MemorySystem with_libc;
  with_libc.SetCpu({});
  with_libc.AddFile("/usr/lib/aarch64-linux-gnu/libc.so.6", arm);
  EXPECT_EQ(LookAt(with_libc, "")->interpreter, "/lib/ld-linux-aarch64.so.1");
  system::MemorySystem musl;
  musl.SetCpu({});
  musl.AddFile("/lib/ld-musl-aarch64.so.1", arm);
  const auto look = LookAt(musl, "");
  EXPECT_EQ(look->interpreter, "/lib/ld-musl-aarch64.so.1");
  EXPECT_EQ(look->snapshot.cpu.machine, "aarch64");
  system::MemorySystem running;
  running.SetCpu({.machine = "x86_64"});
  running.AddFile("/lib/ld-linux-aarch64.so.1", arm);
  EXPECT_EQ(LookAt(running, "")->interpreter, "/lib64/ld-linux-x86-64.so.2") << "of a machine its CPU counts";
}

}  // namespace
}  // namespace culprit::collect
