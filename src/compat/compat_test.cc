// `compat` from arguments to verdicts: which pairs are compared, and how the results combine.
#include "compat/compat.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compat/asked.h"
#include "knowledge/packages/builds.h"

namespace culprit::compat {
namespace {

std::string Wrong(const std::vector<std::string>& words) {
  const auto question = ParseCompat(words);
  EXPECT_FALSE(question);
  return question ? "" : question.error().message;
}

std::string VerdictOf(const report::CompatAnswer& answer, const std::string& one, const std::string& other) {
  for (const auto& pair : answer.pairs) {
    if (pair.one == one && pair.other == other) return std::string(base::Word(pair.verdict));
  }
  return "no such pair";
}

TEST(Compat, AsksEveryPair) {
  const auto answer = Ask({"cudnn=9.5", "cuda=12.4", "driver=535", "gpu=sm_61"});
  EXPECT_EQ(answer.verdict, report::Compatible::kYes);
  EXPECT_EQ(VerdictOf(answer, "driver branch 535", "CUDA 12.4"), "yes");
  EXPECT_EQ(VerdictOf(answer, "driver branch 535", "GPU of compute capability 6.1"), "yes");
  EXPECT_EQ(VerdictOf(answer, "driver branch 535", "cuDNN 9.5"), "yes");
  EXPECT_EQ(VerdictOf(answer, "CUDA 12.4", "cuDNN 9.5"), "yes");
  EXPECT_EQ(VerdictOf(answer, "CUDA 12.4", "GPU of compute capability 6.1"), "yes");
  EXPECT_EQ(VerdictOf(answer, "cuDNN 9.5", "GPU of compute capability 6.1"), "yes");
  EXPECT_EQ(answer.pairs.size(), 6u);
  for (const auto& pair : answer.pairs) EXPECT_FALSE(pair.source.empty()) << pair.one << " " << pair.other;
}

TEST(Compat, OneNoDecides) {
  EXPECT_EQ(Ask({"cudnn=9.11", "cuda=12.9", "gpu=6.1"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"cuda=13.0", "driver=575.57.08"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"cuda=12.3", "gcc=13"}).verdict, report::Compatible::kNo);
}

TEST(Compat, UnknownIsNeverYes) {
  EXPECT_EQ(Ask({"cuda=14.0", "driver=580.65.06"}).verdict, report::Compatible::kUnknown);
  EXPECT_EQ(Ask({"torch=99.0", "driver=580.65.06"}).verdict, report::Compatible::kUnknown);
  EXPECT_EQ(Ask({"cuda=12.4"}).verdict, report::Compatible::kUnknown) << "nothing to compare, but a list";
  EXPECT_EQ(Ask({"gcc=13", "driver=580.65.06"}).verdict, report::Compatible::kUnknown)
      << "nothing to do with each other";
}

TEST(Compat, ABranchWhoseDriversDifferIsUnknown) {
  const auto answer = Ask({"driver=450", "cuda=11.8"});  // 450.36.06 no, 450.51.06 no
  EXPECT_EQ(answer.verdict, report::Compatible::kNo);
  const auto split = Ask({"driver=525", "cuda=12.0.1"});
  EXPECT_EQ(split.verdict, report::Compatible::kYes) << "natively or by minor-version compatibility";
  const auto differs = Ask({"driver=396", "cuda=9.2.148"});  // from 396.37 on
  EXPECT_EQ(differs.verdict, report::Compatible::kUnknown);
  EXPECT_NE(differs.pairs.front().why.find("396.26 no, 396.37 yes"), std::string::npos)
      << differs.pairs.front().why;
}

TEST(Compat, FrameworksWithTheirVariant) {
  EXPECT_EQ(Ask({"torch=2.5.1+cu124", "driver=535.104.05", "gpu=8.9", "python=3.12"}).verdict,
            report::Compatible::kYes);
  EXPECT_EQ(Ask({"torch=2.5.1+cu124", "gpu=RTX 5090"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"torch=2.5.1+cu118", "driver=470.82.01"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"torch=2.5.1+cu130", "driver=580.65.06"}).verdict, report::Compatible::kUnknown)
      << "no such build in the table";
  EXPECT_EQ(Ask({"tensorflow=2.15", "platform=windows"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"torch=2.5.1", "torchvision=0.20.1"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"torch=2.5.1", "torchvision=0.21.0"}).verdict, report::Compatible::kNo);
}

TEST(Compat, SaysHowItReadAVersionWithoutVariant) {
  const auto answer = Ask({"torch=2.5", "driver=580.65.06"});
  ASSERT_EQ(answer.notes.size(), 1u);
  EXPECT_EQ(answer.notes[0], "torch 2.5 is read as 2.5.1");
  ASSERT_EQ(answer.builds.size(), 1u);
  EXPECT_EQ(answer.builds[0].build, "torch 2.5.1+cu124");
  EXPECT_TRUE(answer.builds[0].is_default);
  EXPECT_EQ(answer.builds[0].install.Text(), "pip install \"torch==2.5.1\"");
  EXPECT_EQ(answer.builds[0].others, (std::vector<std::string>{"torch 2.5.1+cu121", "torch 2.5.1+cu118"}));
}

// One build answers all pairs: +cu118 for the driver, although +cu124 is the default.
TEST(Compat, AnyBuildThatFitsIsAYes) {
  const auto old = Ask({"torch=2.5.1", "driver=470.82.01", "gpu=8.0", "python=3.12"});
  EXPECT_EQ(old.verdict, report::Compatible::kYes);
  ASSERT_EQ(old.builds.size(), 1u);
  EXPECT_EQ(old.builds[0].build, "torch 2.5.1+cu118");
  EXPECT_EQ(old.builds[0].install.Text(),
            "pip install \"torch==2.5.1+cu118\" --index-url https://download.pytorch.org/whl/cu118");
  // PyTorch's builds before 1.11 lie on a page of links.
  EXPECT_EQ(
      Ask({"torch=1.9.0", "cuda=11.1"}).builds[0].install.Text(),
      "pip install \"torch==1.9.0+cu111\" --find-links https://download.pytorch.org/whl/torch_stable.html");
  EXPECT_EQ(Ask({"torch=1.13.1", "cuda=11.6"}).builds[0].install.Text(),
            "pip install \"torch==1.13.1+cu116\" --extra-index-url https://download.pytorch.org/whl/cu116");
  const auto jax = Ask({"jax=0.10.2", "cuda=13.0"});
  EXPECT_EQ(jax.verdict, report::Compatible::kYes);
  ASSERT_EQ(jax.builds.size(), 1u);
  EXPECT_EQ(jax.builds[0].install.Text(), "pip install \"jax[cuda13]==0.10.2\"");
  // +cu126 has code for 6.1, +cu128 for 12.0, and none for an old driver: the nearest says why.
  const auto none = Ask({"torch=2.8.0", "driver=470.82.01", "gpu=6.1"});
  EXPECT_EQ(none.verdict, report::Compatible::kNo);
  ASSERT_EQ(none.builds.size(), 1u);
  EXPECT_EQ(none.builds[0].build, "torch 2.8.0+cu126");
  EXPECT_TRUE(none.builds[0].install.empty());
}

TEST(Compat, ANamedBuildAnswersForItselfAlone) {
  EXPECT_EQ(Ask({"torch=2.7.0", "gpu=12.0"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"torch=2.7.0+cu126", "gpu=12.0"}).verdict, report::Compatible::kNo);
}

TEST(Compat, WhatOnlyABuildCouldDoOfWhichNobodyKnowsIsUnknown) {
  const auto builds = knowledge::BuildsOf("torch", base::Machine::kLinuxX86);
  const auto missing = std::ranges::find_if(builds, [](const auto& build) { return !build.in_table; });
  ASSERT_NE(missing, builds.end())
      << "all builds of torch have rows: take another release with fewer than three";
  const std::string version = "torch=" + std::string(missing->version);
  EXPECT_EQ(Ask({version, "gpu=8.0"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({version + "+" + std::string(missing->row.variant), "gpu=8.0"}).verdict,
            report::Compatible::kUnknown);
  EXPECT_EQ(Ask({version, "gpu=2.0"}).verdict, report::Compatible::kNo) << "no build that there could be";
}

TEST(Compat, ThePackageIndexDoesNotDecideForAnotherIndex) {
  EXPECT_EQ(Ask({"torch=2.5.1+cu118", "python=3.12"}).verdict, report::Compatible::kYes);
}

// Also of builds that the tables only suppose to exist.
TEST(Compat, RequiresPythonHoldsForEveryBuildOfARelease) {
  EXPECT_EQ(Ask({"torch=2.9.0+cu126", "python=3.9"}).verdict, report::Compatible::kNo);
  const auto answer = Ask({"torch=2.15.0", "python=3.10"});
  EXPECT_EQ(answer.verdict, report::Compatible::kNo);
  ASSERT_FALSE(answer.pairs.empty());
  for (const char* variant : {"cu126", "cu130", "cu132"}) {
    const std::string torch = std::string("torch=2.15.0+") + variant;
    EXPECT_EQ(Ask({torch, "python=3.10"}).verdict, report::Compatible::kNo) << variant;
  }
  EXPECT_EQ(Ask({"torch=2.15.0", "python=3.11"}).verdict, report::Compatible::kYes);
}

TEST(Compat, ADriverNewerThanTheTableRunsOlderCudaButMayHaveDroppedAGpu) {
  EXPECT_EQ(Ask({"driver=999.10", "cuda=12.4"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"driver=999.10", "gpu=7.5"}).verdict, report::Compatible::kUnknown);
  EXPECT_EQ(Ask({"driver=999.10", "gpu=3.7"}).verdict, report::Compatible::kNo) << "R470 was the last";
}

TEST(Compat, AGpuThatNoTableHasIsUnknown) {
  const auto answer = Ask({"gpu=RTX 7090", "cuda=13.2"});
  EXPECT_EQ(answer.verdict, report::Compatible::kUnknown);
  EXPECT_EQ(VerdictOf(answer, "CUDA 13.2", "RTX 7090"), "unknown");
}

TEST(Compat, APackageOfTheIndexThatHoldsNoBuildIsTold) {
  const auto ended = Ask({"tensorflow-gpu=2.12.0", "python=3.10"});
  EXPECT_EQ(ended.verdict, report::Compatible::kNo);
  EXPECT_EQ(VerdictOf(ended, "tensorflow-gpu 2.12.0", "the package index"), "no");
  EXPECT_EQ(Ask({"tensorflow-gpu=2.11.0", "python=3.10"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"tensorflow-gpu=1.14", "gpu=7.0"}).verdict, report::Compatible::kYes);
  const auto cpu = Ask({"tensorflow=1.14", "gpu=7.0"});
  ASSERT_EQ(cpu.notes.size(), 2u);
  EXPECT_NE(cpu.notes[1].find("is for the CPU only; tensorflow-gpu"), std::string::npos) << cpu.notes[1];
}

// ---- packages that are no framework
TEST(CompatPackages, AreWhatTheirRowsSay) {
  EXPECT_EQ(Ask({"flash-attn=2.8.3", "gpu=7.5"}).verdict, report::Compatible::kNo)
      << "built for 8.0 and newer";
  EXPECT_EQ(Ask({"flash_attn=2.8.3", "gpu=8.0"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"bitsandbytes=0.48.0", "gpu=5.2"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"bitsandbytes=0.47.0", "gpu=5.2"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"vllm=0.14.0", "gpu=6.1"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"vllm=0.9.2", "python=3.13"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"vllm=0.9.2", "python=3.12"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"xformers=0.0.31", "gpu=7.0"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"cudf-cu13=26.2.0", "gpu=7.0"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"sgl-kernel=0.3.20", "platform=windows"}).verdict, report::Compatible::kNo) << "no wheel";
}

TEST(CompatPackages, NeedWhatTheirFrameworkNeeds) {
  const auto answer = Ask({"vllm=0.14.0", "driver=470.256.02", "gpu=8.0"});
  EXPECT_EQ(answer.verdict, report::Compatible::kNo) << "its torch is built with CUDA 12";
  EXPECT_EQ(VerdictOf(answer, "vllm 0.14.0", "driver 470.256.02"), "no");
  EXPECT_EQ(VerdictOf(answer, "vllm 0.14.0", "GPU of compute capability 8.0"), "yes");
  for (const auto& pair : answer.pairs) EXPECT_FALSE(pair.source.empty()) << pair.one << " " << pair.other;
  EXPECT_EQ(Ask({"vllm=0.14.0", "driver=550.54.14", "gpu=8.0"}).verdict, report::Compatible::kYes);
  // Named beside it, the framework is that one.
  EXPECT_EQ(Ask({"flash-attn=2.8.3", "torch=2.5.1+cu118", "driver=470.256.02"}).verdict,
            report::Compatible::kYes);
  EXPECT_EQ(Ask({"flash-attn=2.8.3", "torch=2.5.1+cu124", "driver=470.256.02"}).verdict,
            report::Compatible::kNo);
}

TEST(CompatPackages, TellTheCudaAndTheDriverOfTheirNames) {
  EXPECT_EQ(Ask({"cudf-cu12=25.8.0", "driver=470.256.02"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"cudf-cu12=26.2.0", "driver=525.147.05"}).verdict, report::Compatible::kNo)
      << "535 at least";
  EXPECT_EQ(Ask({"cudf-cu12=26.2.0", "driver=535.183.01"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"cudf-cu12=25.8.0", "cuda=13.0"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"cupy-cuda11x=13.6.0", "driver=470.256.02"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"cupy-cuda12x=13.6.0", "driver=470.256.02"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"cupy=8.6.0", "cuda=9.2"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"cupy=8.6.0", "cuda=9.0"}).verdict, report::Compatible::kYes);
  const auto made_up = Ask({"cupy=8.6.0", "cuda=9.1"});
  EXPECT_EQ(made_up.verdict, report::Compatible::kNo);
  for (const auto& pair : made_up.pairs)
    EXPECT_EQ(pair.why.find("cuda13x"), std::string::npos) << "there is no such build of 8";
  const auto mxnet = Ask({"mxnet-cu112=1.9.1", "driver=440.33.01"});
  EXPECT_EQ(mxnet.verdict, report::Compatible::kNo);
  const auto fits = Ask({"mxnet=1.9.1", "driver=440.33.01"});
  ASSERT_EQ(fits.builds.size(), 1u);
  EXPECT_EQ(fits.builds[0].install.Text(), "pip install \"mxnet-cu102==1.9.1\"");
  EXPECT_EQ(fits.builds[0].build, "mxnet-cu102 1.9.1");
}

TEST(CompatPackages, AreInstalledOnlyWhereTheIndexHasThem) {
  const auto archive = Ask({"tensorrt=8.5.2", "driver=535.104.05"});
  ASSERT_FALSE(archive.builds.empty());
  for (const auto& build : archive.builds) EXPECT_EQ(build.install.Text().value_or(""), "") << build.build;
  const auto listed = Ask({"tensorrt=10.9.0.34", "driver=580.95.05"});
  ASSERT_FALSE(listed.builds.empty());
  const std::string install = listed.builds[0].install.Text().value_or("");
  EXPECT_TRUE(install.ends_with("==10.9.0.34\"")) << install;
}

TEST(CompatPackages, RequireEachOther) {
  EXPECT_EQ(Ask({"torch=2.2.2", "torchtext=0.17.2"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"torch=2.2.1", "torchtext=0.17.2"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"bitsandbytes=0.50.2", "torch=2.3.1"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"jax=0.9.2", "jaxlib=0.9.1"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"cudf-cu12=25.8.0", "numba-cuda=0.20.0"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"cudf-cu12=26.10.2", "cupy-cuda11x=14.2.0"}).verdict, report::Compatible::kUnknown)
      << "it asks for cupy-cuda12x";
}

TEST(CompatPackages, ALibraryForTheCudaOfTorchMustBeThere) {
  const auto other = Ask({"bitsandbytes=0.45.5", "torch=2.9.0+cu130"});
  EXPECT_EQ(other.verdict, report::Compatible::kNo);
  EXPECT_EQ(VerdictOf(other, "torch 2.9.0+cu130", "bitsandbytes 0.45.5"), "no");
  EXPECT_EQ(Ask({"bitsandbytes=0.45.5", "torch=2.9.0+cu128"}).verdict, report::Compatible::kYes);
  // Of a torch whose build is not named, the one that works is meant.
  const auto any = Ask({"bitsandbytes=0.45.5", "torch=2.12.0"});
  EXPECT_EQ(any.verdict, report::Compatible::kYes);
  ASSERT_EQ(any.builds.size(), 1u);
  EXPECT_EQ(any.builds[0].build, "torch 2.12.0+cu126");
  EXPECT_EQ(Ask({"bitsandbytes=0.42.0", "torch=2.1.2", "platform=windows"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"bitsandbytes=0.45.5", "cuda=13.0"}).verdict, report::Compatible::kNo);
}

TEST(CompatPackages, WhatNoRowTellsIsUnknownWithWhatWouldTell) {
  const auto code = Ask({"torchcodec=0.7.0", "gpu=8.0"});
  ASSERT_FALSE(code.pairs.empty());
  EXPECT_EQ(code.verdict, report::Compatible::kUnknown);
  EXPECT_NE(code.pairs[0].why.find("pip download --no-deps torchcodec==0.7.0"), std::string::npos)
      << code.pairs[0].why;
  EXPECT_EQ(Ask({"transformers=4.57.1", "gpu=8.0"}).notes,
            (std::vector<std::string>{"these are independent of each other"}));
}

TEST(CompatPackages, AreListedAlone) {
  const auto answer = Ask({"flash-attn=2.8"});
  EXPECT_EQ(answer.about, "flash-attn 2.8");
  EXPECT_FALSE(answer.goes_with.empty());
  EXPECT_EQ(answer.notes, (std::vector<std::string>{"flash-attn 2.8 is read as 2.8.3.post2"}));
}

// ---- other spellings
TEST(Compat, ReadsMsvcAsPeopleWriteIt) {
  for (const char* msvc : {"msvc=1940", "msvc=19.40", "msvc=14.40", "msvc=19.40.33811"}) {
    EXPECT_EQ(Ask({"cuda=12.4", msvc}).verdict, report::Compatible::kYes) << msvc;
    EXPECT_EQ(Ask({"cuda=12.3", msvc}).verdict, report::Compatible::kNo) << msvc;
  }
  EXPECT_EQ(Ask({"cuda=12.4", "vs=2022"}).verdict, report::Compatible::kYes);
  EXPECT_EQ(Ask({"cuda=12.3", "vs=2022"}).verdict, report::Compatible::kUnknown) << "from 17.10 on no";
  EXPECT_EQ(Ask({"cuda=12.3", "vs=2019"}).verdict, report::Compatible::kYes);
}

TEST(Compat, AnInstalledCudaCompatReplacesTheLibrariesOfTheDriver) {
  EXPECT_EQ(Ask({"driver=535.183.01", "cuda=13.0", "gpu=H100"}).verdict, report::Compatible::kNo);
  EXPECT_EQ(Ask({"driver=535.183.01", "cuda=13.0", "gpu=H100", "cuda-compat=13.0"}).verdict,
            report::Compatible::kYes);
  EXPECT_EQ(Ask({"driver=440.118.02", "cuda=11.0", "gpu=V100", "cuda-compat=11.0"}).verdict,
            report::Compatible::kYes);
  EXPECT_EQ(Ask({"driver=550.54.15", "cuda=13.0", "gpu=GTX 1650", "cuda-compat=13.0"}).verdict,
            report::Compatible::kNo);
  EXPECT_EQ(Ask({"driver=535.183.01", "torch=2.11.0+cu130", "gpu=H100", "cuda-compat=13.0"}).verdict,
            report::Compatible::kYes);
  EXPECT_EQ(Ask({"driver=470.256.02", "cuda=13.0", "gpu=H100", "cuda-compat=13.0"}).verdict,
            report::Compatible::kNo)
      << "not of its branches";
  EXPECT_EQ(Ask({"driver=535.183.01", "cuda=13.0", "gpu=7.5", "cuda-compat=13.0"}).verdict,
            report::Compatible::kUnknown)
      << "a T4, or a GTX 1650";
}

TEST(Compat, RefusesWhatItCannotRead) {
  EXPECT_EQ(Wrong({"cuda"}), "'cuda' is not KEY=VALUE");
  EXPECT_EQ(Wrong({"cuda="}), "'cuda=' is not KEY=VALUE");
  EXPECT_EQ(Wrong({"cuda=12.4", "CUDA=12.5"}), "'cuda' is given twice");
  EXPECT_EQ(Wrong({"cuda=twelve"}), "'twelve' is not a version of cuda");
  EXPECT_EQ(Wrong({"platform=macos"}), "platform is linux, windows, linux-aarch64 or wsl, not 'macos'");
  EXPECT_EQ(Wrong({"flash-attn=new"}), "'new' is not a version of flash-attn");
  EXPECT_TRUE(Wrong({"msvc=17.10"}).starts_with("'17.10' is neither an _MSC_VER"));
  EXPECT_TRUE(Wrong({"vs=2011"}).starts_with("'2011' is not a Visual Studio year"));
  EXPECT_TRUE(Wrong({"colour=blue"}).starts_with("unknown key 'colour'"));
}

}  // namespace
}  // namespace culprit::compat
