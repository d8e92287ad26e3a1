// Processor, memory and whole versions of tools, from files as distributions ship them.
#include "collect/maintainer.h"

#include <gtest/gtest.h>

#include <string>

#include "system/memory.h"

namespace culprit::collect {
namespace {

using std::string_literals::operator""s;

class Maintainer : public testing::Test {
 protected:
  MaintainerFacts Look() { return LookForMaintainer(machine_, snapshot_); }
  // "gcc 12.2.0 /usr/bin/gcc (on PATH)", one per line.
  std::string Tools() {
    std::string text;
    for (const snapshot::Compiler& tool : Look().tools)
      text += tool.name + " " + tool.version + " " + tool.path + " (" + tool.source + ")\n";
    return text;
  }

  system::MemorySystem machine_;
  snapshot::Snapshot snapshot_{.environment = {{"PATH", "/usr/bin:bin:/opt/none"}}};
};

TEST_F(Maintainer, ProcessorAndMemory) {
  machine_.AddFile(
      "/proc/cpuinfo",
      "processor\t: 0\nmodel name\t: AMD EPYC 9654\n\nprocessor\t: 1\nmodel name\t: AMD EPYC 9654\n");
  machine_.AddFile("/proc/meminfo", "MemTotal:       16306648 kB\nMemFree: 1 kB\n");
  EXPECT_EQ(Look().processor, "AMD EPYC 9654");
  EXPECT_EQ(Look().processors, 2U);
  EXPECT_EQ(Look().memory_kib, 16306648U);
}

TEST_F(Maintainer, AnArmProcessorHasNumbersInsteadOfAName) {
  machine_.AddFile("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
  EXPECT_EQ(Look().processor, "implementer 0x41, part 0xd40");
}

TEST_F(Maintainer, CompilersAndCmakeToTheLastNumber) {
  machine_.AddFile("/usr/bin/aarch64-linux-gnu-gcc-12", "\177ELF", 0755);
  machine_.AddLink("/usr/bin/gcc-12", "aarch64-linux-gnu-gcc-12");
  machine_.AddLink("/usr/bin/gcc", "gcc-12");
  machine_.AddFile("/usr/bin/gcc-ar-12", "\177ELF", 0755);
  machine_.AddFile("/usr/lib/gcc/aarch64-linux-gnu/12/crtend.o", "\0GCC: (Debian 12.2.0-14) 12.2.0\0"s);
  machine_.AddFile("/usr/lib/gcc/x86_64-linux-gnu/12/crtend.o", "\0GCC: (Debian 12.3.0-1) 12.3.0\0"s);
  machine_.AddLink("/usr/bin/clang-14", "../lib/llvm-14/bin/clang");
  machine_.AddFile("/usr/lib/llvm-14/bin/clang", "\177ELF", 0755);
  machine_.AddDirectory("/usr/lib/llvm-14/lib/clang/14.0.6");
  machine_.AddLink("/usr/bin/clang-19", "../lib/llvm-19/bin/clang");
  machine_.AddFile("/usr/lib/llvm-19/bin/clang", "\177ELF", 0755);
  machine_.AddDirectory("/usr/lib/llvm-19/lib/clang/19");
  machine_.AddFile("/usr/lib/llvm-19/lib/libclang-cpp.so.19.1", "-cc1\00019.1.7\0"s);
  machine_.AddFile("/usr/bin/cmake", "\0003.25.0\0\0003.25.1\0"s, 0755);
  machine_.AddDirectory("/usr/share/cmake-3.25");
  EXPECT_EQ(Tools(),
            "clang 14.0.6 /usr/bin/clang-14 (on PATH, version from its own files)\n"
            "clang 19.1.7 /usr/bin/clang-19 (on PATH, version from its own files)\n"
            "cmake 3.25.1 /usr/bin/cmake (on PATH, version from its own files)\n"
            "gcc 12.2.0 /usr/bin/gcc (on PATH, version from its own files)\n");
}

TEST_F(Maintainer, WhatTheFilesDoNotSayIsNotKnown) {
  machine_.AddFile("/usr/bin/gcc", "\177ELF", 0755);  // two GCCs, and nothing says which
  machine_.AddFile("/usr/lib/gcc/a/12/crtend.o", "\0GCC: (GNU) 12.2.0\0"s);
  machine_.AddFile("/usr/lib/gcc/a/13/crtend.o", "\0GCC: (GNU) 13.1.0\0"s);
  machine_.AddFile("/usr/bin/clang", "", 0644);  // not a program
  EXPECT_EQ(Tools(), "gcc  /usr/bin/gcc (on PATH)\n");
}

TEST_F(Maintainer, NvccSaysItsBuild) {
  machine_.AddFile(
      "/usr/local/cuda/bin/nvcc",
      "\0Cuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0.r13.0/compiler.36424714_0\0"s);
  snapshot_.stack.toolkits =
      snapshot::Fact<snapshot::Toolkits>::Of({.copies = {{.nvcc = "/usr/local/cuda/bin/nvcc"}}}, "test");
  EXPECT_EQ(Look().nvcc_builds.at("/usr/local/cuda/bin/nvcc"), "cuda_13.0.r13.0/compiler.36424714_0");
}

TEST_F(Maintainer, PythonToTheLastNumber) {
  machine_.AddFile("/usr/bin/python3.11", "\0003.11.2\0"s, 0755);
  machine_.AddFile("/opt/py/include/python3.11/patchlevel.h", "#define PY_VERSION      \t\"3.11.7+\"\n");
  machine_.AddFile("/opt/py/bin/python3.11", "", 0755);
  machine_.AddFile("/opt/py/lib/libpython3.11.so.1.0", "linux\0003.11.7\0%.80s"s);
  machine_.AddLink("/venv/bin/python3", "/usr/bin/python3.11");
  machine_.AddFile("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.1\n");  // made before the upgrade
  machine_.AddFile("/uv/pyvenv.cfg", "home = /gone\nversion_info = 3.11.9\n");
  snapshot_.stack.environments = snapshot::Fact<std::vector<snapshot::PythonEnvironment>>::Of(
      {{.prefix = "/venv", .interpreter = "/venv/bin/python3", .python = "3.11"},
       {.prefix = "/opt/py", .interpreter = "/opt/py/bin/python3.11", .python = "3.11"},
       {.prefix = "/uv", .python = "3.11"},
       {.prefix = "/none", .python = "3.11"}},
      "test");
  const auto pythons = Look().pythons;
  EXPECT_EQ(pythons.at("/venv"), "3.11.2");
  EXPECT_EQ(pythons.at("/opt/py"), "3.11.7");
  EXPECT_EQ(pythons.at("/uv"), "3.11.9");
  EXPECT_EQ(pythons.at("/none"), "");
}

}  // namespace
}  // namespace culprit::collect
