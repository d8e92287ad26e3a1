// Installing and removing in the mind: what pip would leave behind, as far as the collectors look at it.
#include <gtest/gtest.h>

#include "binfmt/elf/elf.h"
#include "change/whatif/carry_out.h"
#include "change/whatif/environment.h"
#include "change/whatif/wheels/wheel_versions.h"
#include "system/memory.h"

namespace culprit::whatif {
namespace {

using report::InstallPackage;
using report::RemovePackage;
using system::MemorySystem;
using system::System;

class InVenv : public testing::Test {
 protected:
  InVenv() {
    before.SetCpu({.machine = "x86_64", .platform = "x86_64"});
    before.AddFile("/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
    before.AddDirectory(site);
  }
  void Add(const std::string& path, const std::string& text) { before.AddFile(site + "/" + path, text); }
  std::shared_ptr<const System> Now(std::vector<report::Change> changes) {
    auto machine = CarryOut({std::shared_ptr<const void>(), &before}, changes);
    if (machine) return *machine;
    ADD_FAILURE() << machine.error().message;
    return {std::shared_ptr<const void>(), &before};
  }
  std::string Version(const System& machine, const std::string& package) {
    const auto environment = FindEnvironment(machine, "/v");
    if (!environment) return "(none)";
    for (const auto& one : PackagesOf(machine, *environment)) {
      if (one.name == package) return one.version;
    }
    return "";
  }
  std::string Text(const System& machine, const std::string& path) {
    return system::ReadWholeFile(machine, site + "/" + path, 1 << 20).value_or("(none)");
  }
  const std::string site = "/v/lib/python3.11/site-packages";
  MemorySystem before;
};

TEST_F(InVenv, RemovingTakesWhatTheRecordListsAndNothingElse) {
  Add("thing-1.0.dist-info/METADATA", "Name: thing\nVersion: 1.0\n");
  Add("thing-1.0.dist-info/RECORD", "thing/a.py,,\nthing/b.so,sha256=x,3\n../../../bin/thing,,\n");
  Add("thing/a.py", "");
  Add("thing/b.so", "abc");
  Add("thing/mine.py", "");
  before.AddFile("/v/bin/thing", "");
  const auto now = Now({RemovePackage{"/v", "Thing"}});
  EXPECT_FALSE(now->Stat(site + "/thing/a.py"));
  EXPECT_FALSE(now->Stat(site + "/thing-1.0.dist-info"));
  EXPECT_FALSE(now->Stat("/v/bin/thing"));
  EXPECT_TRUE(now->Stat(site + "/thing/mine.py"));
  EXPECT_FALSE(CarryOut(now, std::vector<report::Change>{RemovePackage{"/v", "thing"}}));
  EXPECT_FALSE(CarryOut(now, std::vector<report::Change>{RemovePackage{"/none", "thing"}}));
}

TEST_F(InVenv, ACudnnPackageBringsEveryPartWithItsVersion) {
  Add("nvidia_cudnn_cu12-8.9.2.26.dist-info/METADATA", "Name: nvidia-cudnn-cu12\nVersion: 8.9.2.26\n");
  Add("nvidia/cudnn/lib/libcudnn_ops_infer.so.8", "old");
  const auto now = Now({InstallPackage{"/v", "nvidia-cudnn-cu12", "9.1.0.70"}});
  EXPECT_EQ(Version(*now, "nvidia-cudnn-cu12"), "9.1.0.70");
  EXPECT_FALSE(now->Stat(site + "/nvidia/cudnn/lib/libcudnn_ops_infer.so.8"));
  const auto file = now->Open(site + "/nvidia/cudnn/lib/libcudnn_graph.so.9");
  ASSERT_TRUE(file && file->bytes);
  const auto elf = binfmt::ReadElf(*file->bytes);
  EXPECT_EQ(binfmt::ReadElfWord(*file->bytes, elf, "cudnn_graph_version"), 9u << 16 | 1 << 8);
  EXPECT_NE(
      Text(*now, "nvidia_cudnn_cu12-9.1.0.70.dist-info/RECORD").find("nvidia/cudnn/lib/libcudnn.so.9,,"),
      std::string::npos);
}

TEST_F(InVenv, TorchBringsWhatItPinsAndItsGpuCode) {
  const auto now = Now({InstallPackage{"/v", "torch", "2.5.1"}});
  EXPECT_EQ(Version(*now, "torch"), "2.5.1");
  EXPECT_EQ(Version(*now, "nvidia-cudnn-cu12"), "9.1.0.70");
  EXPECT_NE(Text(*now, "torch/version.py").find("'2.5.1+cu124'"), std::string::npos);
  EXPECT_NE(Text(*now, "torch-2.5.1.dist-info/METADATA").find("Requires-Dist: nvidia-cudnn-cu12==9.1.0.70"),
            std::string::npos);
  const auto file = now->Open(site + "/torch/lib/libtorch_cuda.so");
  ASSERT_TRUE(file && file->bytes);
  bool cudnn = false;
  for (const auto& request : binfmt::ReadElf(*file->bytes).requests) cudnn |= request.name == "libcudnn.so.9";
  EXPECT_TRUE(cudnn);
}

TEST_F(InVenv, AVersionThatOthersPinIsChosenWhereNoneIsNamed) {
  Add("torch-2.5.1.dist-info/METADATA",
      "Name: torch\nVersion: 2.5.1\nRequires-Dist: nvidia-cudnn-cu12 (==9.1.0.70) ; platform_system == "
      "\"Linux\"\n");
  EXPECT_EQ(Version(*Now({InstallPackage{"/v", "nvidia-cudnn-cu12", ""}}), "nvidia-cudnn-cu12"), "9.1.0.70");
  const auto environment = FindEnvironment(before, "/v");
  ASSERT_TRUE(environment);
  const auto known = KnownVersions("nvidia-cudnn-cu12", *environment);
  ASSERT_GT(known.size(), 10u);
  EXPECT_EQ(Version(*Now({RemovePackage{"/v", "torch"}, InstallPackage{"/v", "nvidia-cudnn-cu12", ""}}),
                    "nvidia-cudnn-cu12"),
            known.back());
}

TEST_F(InVenv, APackageThatNoTableKnowsIsNotMadeUp) {
  const auto machine = CarryOut({std::shared_ptr<const void>(), &before},
                                std::vector<report::Change>{InstallPackage{"/v", "no-such-thing", "1.0"}});
  ASSERT_FALSE(machine);
  EXPECT_NE(machine.error().message.find("no-such-thing"), std::string::npos);
}

TEST(Needs, AreReadAsPipWritesThem) {
  const Need need = ParseNeed("jax_cuda12.plugin[with-cuda] (<=0.6,>=0.5) ; sys_platform == 'linux'");
  EXPECT_EQ(need.name, "jax-cuda12-plugin");
  EXPECT_EQ(need.specifiers, "<=0.6,>=0.5");
  EXPECT_EQ(need.extras, std::vector<std::string>{"with-cuda"});
  EXPECT_TRUE(Counts(need, {.cpu = "x86_64"}));
  EXPECT_FALSE(Counts(need, {.cpu = "x86_64", .windows = true}));
  EXPECT_FALSE(Counts(ParseNeed("x; extra == \"y\""), {}));
  const Need nccl = ParseNeed("x; platform_system == 'Linux' and platform_machine != 'aarch64'");
  EXPECT_FALSE(Counts(nccl, {.cpu = "x86_64", .windows = true}));
  EXPECT_TRUE(Counts(nccl, {.cpu = "x86_64"}));
  EXPECT_TRUE(Counts(ParseNeed("x; platform_system != 'Windows'"), {}));
  EXPECT_TRUE(Counts(ParseNeed("x; platform_system != 'Linux'"), {.windows = true}));
  const Need old = ParseNeed("importlib-metadata; python_version < \"3.10\"");
  EXPECT_FALSE(Counts(old, {.python = "3.11"}));
  EXPECT_TRUE(Counts(old, {.python = "3.9"}));
  EXPECT_TRUE(Counts(old, {}));
  const Need either = ParseNeed("x; platform_machine == 'x86_64' or platform_machine == 'aarch64'");
  EXPECT_TRUE(Counts(either, {.cpu = "aarch64"}));
  EXPECT_FALSE(Counts(either, {.cpu = "x86_64", .windows = true})) << "it is AMD64 there";
  EXPECT_TRUE(
      Counts(ParseNeed("x; python_version >= '3.10' and sys_platform == 'linux'"), {.python = "3.11"}));
}

}  // namespace
}  // namespace culprit::whatif
