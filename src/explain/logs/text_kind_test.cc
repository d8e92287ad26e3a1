#include "explain/logs/text_kind.h"

#include <gtest/gtest.h>

#include "explain/logs/mention.h"

namespace culprit::logs {
namespace {

TEST(KindOf, WishesChangesAndQuestionsAreNoReports) {
  EXPECT_EQ(KindOf("it goes to the CPU in silence. Could you print a warning then?"), TextKind::kWish);
  for (const char* text : {
           "Summary:\n\nThe runners have no GPU and the test ends badly.\n\nDifferential Revision: D1234\n",
           "Resolves #6.\n\nPrints more where CUDA is not available.",
           "## Problem\n\nTwo situations end in `cudaErrorInsufficientDriver`.\n\n## Fix\n\nAsk for the "
           "version first.",
           "**Before this PR**: it says less.\n**After this PR**:\nExternalError: CUDA error (35)",
           "fix: fall back to CPU when CUDA probing raises",
           "* bugfix: no exception any more where CUDA isn't available\n\n> Thanks, merged.",
           "Release notes 4.2: fixed an illegal memory access, fixed CUDA out of memory in the exporter.",
           "# Detect a failed import\n\nWithout the driver it ends in AttributeError.\n```\nImportError: x\n",
           "# Better words\n\nWith this PR it prints the code:\n> CUDNN_STATUS_NOT_SUPPORTED",
           "Models end asynchronously without a kernel image. Probe it first. Fix is ready, PR follows.",
       }) {
    EXPECT_EQ(KindOf(text), TextKind::kChange) << text;
  }
  for (const char* text : {"can I use this with cpu only?\n\n> yes, you will see CUDA not available",
                           "Hi, does it run without an NVIDIA GPU?", "How much VRAM do I need?"}) {
    EXPECT_EQ(KindOf(text), TextKind::kQuestion) << text;
  }
}

TEST(KindOf, WhoShowsAnErrorReportsIt) {
  for (const char* text : {
           "Resolves #6.\n\nRuntimeError: CUDA error: out of memory\n",
           "could you add a check?\nTraceback (most recent call last):\n",
           "can it run on cpu only?\nImportError: libcudart.so.12: cannot open shared object file\n",
           "does it work with CUDA 12? It dies here",
           "# Fix for this?\nRuntimeError: CUDA error: out of memory\n",
           "# Check failed: error == cudaSuccess",
           "With this PR the build ends in nvcc fatal",
           "I merged two models and the GPU ran out of memory",
       }) {
    EXPECT_EQ(KindOf(text), TextKind::kOther) << text;
  }
}

TEST(AsksWhetherHarmful, OnlyOfHarm) {
  for (const char* text : {"these alerts when I hit train, bad?", "should I worry?",
                           "Does this matter? the UI comes up", "can these be ignored?"}) {
    EXPECT_TRUE(AsksWhetherHarmful(text)) << text;
  }
  for (const char* text : {"is that normal?", "bad interpreter: no such file", "what should I do?",
                           "can I ignore the version that it wants and build anyway"}) {
    EXPECT_FALSE(AsksWhetherHarmful(text)) << text;
  }
}

TEST(IsOnOtherGpu, NamesThatEveryGpuHasTellNothing) {
  EXPECT_TRUE(IsOnOtherGpu("outdated GPU drivers (NVIDIA, AMD, Intel)\nCard is a radeon 6700xt"));
  EXPECT_TRUE(IsOnOtherGpu("torch.cuda.is_available()\nHIP error on my Radeon, device cuda:0"));
  EXPECT_FALSE(IsOnOtherGpu("the radeon is fine, CUDA error on the other card"));
  EXPECT_FALSE(IsOnOtherGpu("NVIDIA driver is missing, AMD works"));
  EXPECT_FALSE(IsOnOtherGpu("Unable to initialize backend 'rocm': NOT_FOUND: name: \"rocm\"\nno GPU found"));
  EXPECT_TRUE(IsOnOtherGpu("Unable to initialize backend 'cuda': no\nmy radeon is idle"));
}

TEST(StatesNoNvidia, WhoRunsOnTheCpuSaysSo) {
  EXPECT_TRUE(StatesNoNvidia("None, there is no GPU. I only run on cpu, with the native platform."));
  EXPECT_TRUE(StatesNoNvidia("my laptop has no gpu"));
  EXPECT_FALSE(StatesNoNvidia("it runs on the CPU only, why?"));
  EXPECT_FALSE(StatesNoNvidia("it says that there is no GPU"));
}

}  // namespace
}  // namespace culprit::logs
