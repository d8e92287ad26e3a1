#include "collect/build/flags.h"

#include <gtest/gtest.h>

namespace culprit::collect {
namespace {

using Words = std::vector<std::string>;

CompilerFlags Read(const std::string& command) { return ReadFlags(ShellWords(command), true); }

TEST(ShellWords, QuotesAndBackslashes) {
  EXPECT_EQ(ShellWords(R"(a 'b c' "d\"e" f\ g)"), (Words{"a", "b c", "d\"e", "f g"}));
  EXPECT_EQ(ShellWords("  "), Words{});
  EXPECT_EQ(ShellWords("'open"), Words{"open"});
}

TEST(CompilerFlags, EverySpellingOfAnArchitecture) {
  EXPECT_EQ(Read("nvcc -gencode arch=compute_80,code=sm_80 a.cu").architectures, Words{"sm_80"});
  EXPECT_EQ(Read("nvcc -gencode=arch=compute_90a,code=sm_90a a.cu").architectures, Words{"sm_90a"});
  EXPECT_EQ(Read(R"(nvcc "--generate-code=arch=compute_80,code=[compute_80,sm_80]" a.cu)").architectures,
            (Words{"compute_80", "sm_80"}));
  EXPECT_EQ(Read("nvcc -arch=sm_75 a.cu").architectures, (Words{"sm_75", "compute_75"}));
  EXPECT_EQ(Read("nvcc -arch compute_80 -code sm_86,sm_89 a.cu").architectures, (Words{"sm_86", "sm_89"}));
  EXPECT_EQ(Read("nvcc -arch=native a.cu").architectures, Words{"native"});
  EXPECT_EQ(Read("nvcc a.cu").architectures, Words{});
}

TEST(CompilerFlags, IncludesInTheOrderOfTheSearch) {
  const auto flags = Read("g++ -isystem /s -idirafter /late -I/usr/include -I /a -I/b -I/a x.cc");
  EXPECT_EQ(flags.includes, (Words{"/a", "/b", "/s", "/late"}));
}

TEST(CompilerFlags, CompilerBehindALauncherAndItsHostCompiler) {
  const auto flags = Read("ccache /usr/local/cuda/bin/nvcc -ccbin=/usr/bin/g++-12 -c a.cu");
  EXPECT_EQ(flags.compiler, "/usr/local/cuda/bin/nvcc");
  EXPECT_EQ(flags.host_compiler, "/usr/bin/g++-12");
}

TEST(CompilerFlags, RunPathsOfEverySpelling) {
  EXPECT_EQ(Read("g++ -Wl,-rpath,/a:/b x.o").run_paths, (Words{"/a", "/b"}));
  EXPECT_EQ(Read("g++ -Wl,-rpath=/a x.o").run_paths, Words{"/a"});
  EXPECT_EQ(Read("nvcc -Xlinker -rpath -Xlinker /a x.o").run_paths, Words{"/a"});
  EXPECT_EQ(Read("nvcc -Xlinker=-rpath,/a x.o").run_paths, Words{"/a"});
  EXPECT_EQ(Read("g++ -L/usr/local/cuda/lib64/stubs x.o").run_paths, Words{});
}

TEST(CmakeArchitectures, RealVirtualAndBoth) {
  EXPECT_EQ(CmakeArchitectures("80;86-real;90a-virtual"),
            (Words{"sm_80", "compute_80", "sm_86", "compute_90a"}));
  EXPECT_EQ(CmakeArchitectures("native"), Words{"native"});
  EXPECT_EQ(CmakeArchitectures("OFF"), Words{});
}

}  // namespace
}  // namespace culprit::collect
