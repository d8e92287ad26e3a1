#include "explain/logs/mention.h"

#include <gtest/gtest.h>

#include <string>

namespace culprit::logs {
namespace {

constexpr std::string_view kError = "CUDA error: out of memory";

bool Mentions(std::string_view line) { return MentionAt(line, line.find(kError)) != Mention::kNone; }

// Documents speak to "you".
TEST(AsksForHelp, WhoeverSpeaksOfThemselves) {
  for (const char* text : {"got a step further, but now i see nothing from inside", "My card is a 1070.",
                           "Since the update we see this in our pods", "I've followed the page"}) {
    EXPECT_TRUE(AsksForHelp(text)) << text;
  }
  for (const char* text : {"You need a driver. Install it first.",
                           "I! CuDNN (v8204) function cudnnCreate() called:", "It is built by the CI."}) {
    EXPECT_FALSE(AsksForHelp(text)) << text;
  }
}

TEST(OnlyMentions, APromptInAFenceIsNoHeading) {
  EXPECT_FALSE(OnlyMentions(
      "it falls over after each driver upgrade:\n\n```\n# nvidia-smi\nFailed to initialize NVML: "
      "Driver/library version mismatch\n# echo $?\n18\n```\n"));
}

TEST(MentionAt, OfSourcesCommandsTestsAndSentences) {
  for (const char* line : {
           "    return \"CUDA error: out of memory\";",
           "  {2, \"CUDA error: out of memory\"},",
           "# a job that ends with CUDA error: out of memory is tried again",
           "  484  grep -n \"CUDA error: out of memory\" run.log",
           "test_status.py::test_hint[CUDA error: out of memory] PASSED",
           "If you see CUDA error: out of memory, make the batch smaller.",
           "See `CUDA error: out of memory` below.",
           "oom = CUDA error: out of memory",
           "- [ ] ask why CUDA error: out of memory comes",
           " * and it ends in CUDA error: out of memory",
           "  2. Make sure that no other process uses the GPU: CUDA error: out of memory",
           "This may be the consequence of CUDA error: out of memory",
           "On Windows, try setting a limit if there is CUDA error: out of memory",
       }) {
    EXPECT_TRUE(Mentions(line)) << line;
  }
}

TEST(MentionAt, NotOfWhatAnExceptionQuotes) {
  const std::string_view line = "AttributeError: module 'google.protobuf.descriptor' has no attribute 'x'";
  EXPECT_EQ(MentionAt(line, line.find("google")), Mention::kNone);
  const std::string_view code = "message: 'google.protobuf.descriptor' has no attribute 'x'";
  EXPECT_NE(MentionAt(code, code.find("google")), Mention::kNone);
}

TEST(MentionAt, NotOfWhatProgramsPrint) {
  for (const char* line : {
           "RuntimeError: CUDA error: out of memory",
           "CUDA error: out of memory",
           "terminate called after throwing an instance of 'c10::Error' what(): CUDA error: out of memory",
           "E0103 16:41:38.489316 2217885 cuda.cc:87] the allocation of a block failed: CUDA error: out of "
           "memory",
           "{\"level\":\"error\",\"msg\":\"CUDA error: out of memory\"}",
           "time=2026-11-15T08:00:00Z level=ERROR msg=\"CUDA error: out of memory\"",
           "FAILED test_train.py::test_step - RuntimeError: CUDA error: out of memory",
           "error: \"CUDA error: out of memory\"",
           "`CUDA error: out of memory`",
           "TypeError: unhashable type: 'CUDA error: out of memory'",
           " * GPU          disabled (CUDA error: out of memory)",
           "* CUDA error: out of memory",
           "> \"CUDA error: out of memory\".",
       }) {
    EXPECT_FALSE(Mentions(line)) << line;
  }
}

TEST(MentionAt, TellsTalkFromWhatNeverHappened) {
  const auto at = [](std::string_view line) { return MentionAt(line, line.find(kError)); };
  EXPECT_EQ(at("and then it says \"CUDA error: out of memory\" again"), Mention::kTalk);
  EXPECT_EQ(at("# CUDA error: out of memory after the update"), Mention::kTalk);
  const std::string_view title = "# train.py - RuntimeError: CUDA error: out of memory";
  EXPECT_EQ(MentionAt(title, title.find(kError), true), Mention::kNone);
  EXPECT_EQ(MentionAt(title, title.find(kError), false), Mention::kTalk);
  const std::string_view words = "# It does not start. Error: CUDA error: out of memory";
  EXPECT_EQ(MentionAt(words, words.find(kError), true), Mention::kNone);
  for (const std::string_view said : {"# train('x') error : \"CUDA error: out of memory\"",
                                      "# numba.driver.CudaAPIError: CUDA error: out of memory"}) {
    EXPECT_EQ(MentionAt(said, said.find(kError), true), Mention::kNone) << said;
  }
  const std::string_view remark = "# HELP exceptions_total By type, like CUDA error: out of memory";
  EXPECT_EQ(MentionAt(remark, remark.find(kError), true), Mention::kTalk);
  EXPECT_EQ(at("    return \"CUDA error: out of memory\";"), Mention::kNever);
  EXPECT_EQ(at("oom = CUDA error: out of memory"), Mention::kNever);
  EXPECT_EQ(at("+you will see: CUDA error: out of memory"), Mention::kNever);
  EXPECT_EQ(at("+ CUDA error: out of memory"), Mention::kNone);
  EXPECT_EQ(at("Ignore import error when loading models.moe. CUDA error: out of memory"), Mention::kNever);
  EXPECT_EQ(at("a.py::test_b SKIPPED (CUDA error: out of memory) a.py::test_c FAILED"), Mention::kDenied);
}

TEST(MentionAt, WhatIsSupposedDefinedOrDenied) {
  const auto at = [](std::string_view line) { return MentionAt(line, line.find(kError)); };
  for (const char* line : {
           "If you get CUDA error: out of memory errors, the above might be the cause",
           "After it failed (say a job gave CUDA error: out of memory) the metric goes up",
           "2 is CUDA error: out of memory in the docs of the driver API",
           "It should rather raise CUDA error: out of memory here",
           "This is not a CUDA error: out of memory",
           "Show the size instead of \"CUDA error: out of memory\"",
           "- Fixed `CUDA error: out of memory` with batch size 1",
           "fix(alloc): handle CUDA error: out of memory",
           "src/a.cu(12): warning #177-D: CUDA error: out of memory is never read",
           " 2 - alloc_test .... Passed CUDA error: out of memory",
           "test_alloc PASSED (CUDA error: out of memory)",
           "CUDA error: out of memory, skipping",
           "* CUDA error: out of memory in the sparse part is gone",
           "OK, the CUDA error: out of memory on my card is gone now, next one:",
       }) {
    EXPECT_EQ(at(line), Mention::kDenied) << line;
  }
  for (const char* line : {
           "If I use two cards, CUDA error: out of memory",
           "CUDA error: out of memory was solved by another card",
           "CUDA error: out of memory is gone, but comes back after an hour",
           "CUDA error: out of memory, skipping device 0: too small",
           "nvcc fixed: CUDA error: out of memory",
           "I assume it is a driver thing. CUDA error: out of memory",
           "/usr/bin/ld: warning: CUDA error: out of memory",
       }) {
    EXPECT_NE(at(line), Mention::kDenied) << line;
  }
}

TEST(IsOnOtherGpu, WhereNothingIsOfNvidia) {
  for (const char* text : {"clGetPlatformIDs failed: -1001\nboard with Mali-G610",
                           "rocBLAS error: no kernel for gfx1031", "MPS backend out of memory"}) {
    EXPECT_TRUE(IsOnOtherGpu(text)) << text;
  }
  for (const char* text : {"CPU: AMD EPYC 7742\ntorch.OutOfMemoryError", "Radeon beside an NVIDIA A2",
                           "CUDA error: out of memory"}) {
    EXPECT_FALSE(IsOnOtherGpu(text)) << text;
  }
}

TEST(StatesNoNvidia, WherePeopleSayItAndNotAProgram) {
  for (const char* text :
       {"My pc has no Nvidia hardware whatsoever.", "There is no NVIDIA card or driver here.",
        "I don't have an nvidia gpu", "No NVIDIA card, so no CUDA, in this machine."}) {
    EXPECT_TRUE(StatesNoNvidia(text)) << text;
  }
  for (const char* text : {"RuntimeError: Found no NVIDIA driver on your system", "No NVIDIA GPU detected",
                           "or no NVIDIA GPU installed in this system is supported by this driver",
                           "there is an nvidia card and it goes to the cpu"}) {
    EXPECT_FALSE(StatesNoNvidia(text)) << text;
  }
}

TEST(IsOfOtherMakers, WhereNothingOfNvidiaIsNamed) {
  for (const char* line : {"AttributeError: module 'torch' has no attribute 'dml'",
                           "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout",
                           "level_zero backend failed with error: 20 (UR_RESULT_ERROR_DEVICE_LOST)",
                           "ERROR:gpu_init.cc(523)] Passthrough is not supported, GL is egl, ANGLE is",
                           "the Radeon card is not detected"}) {
    EXPECT_TRUE(IsOfOtherMakers(line)) << line;
  }
  for (const char* line : {"CUDA error: out of memory", "the GPU is not detected",
                           "cpu: AMD EPYC 7742, gpu: NVIDIA A100, not detected", "WHIP is not detected"}) {
    EXPECT_FALSE(IsOfOtherMakers(line)) << line;
  }
}

TEST(IntroducesError, WordsBeforeAnErrorButNotInAComment) {
  EXPECT_TRUE(IntroducesError("the build stops with:\n\nx"));
  EXPECT_TRUE(IntroducesError("The only hint is this error message in the terminal"));
  EXPECT_FALSE(IntroducesError("# without it the import ends with: libgomp.so.1\nRUN x\n"));
  EXPECT_FALSE(IntroducesError("step 1\nstep 2\n"));
}

TEST(OnlyMentions, DocumentsPatchesCommitsAndSources) {
  EXPECT_TRUE(OnlyMentions(
      "Errors\n======\n\n- `CUDA error: out of memory`: use less\n- `other`: [there](x)\n\ntext\n"));
  EXPECT_TRUE(OnlyMentions(
      "# Help\n\n## Errors\n\n- `CUDA error: out of memory`: use less\n- `other`: see [there](x)\n\ntext\n"));
  EXPECT_TRUE(OnlyMentions(
      "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-  a\n+  CUDA error: out of memory\n"));
  EXPECT_TRUE(OnlyMentions("0a1b2c3 Fix a\n1a1b2c3 Fix b\n2a1b2c3 Fix c\n3a1b2c3 Fix d\n4a1b2c3 Fix e\n"));
  EXPECT_TRUE(
      OnlyMentions("#include <map>\n#include <string>\n\nstatic const char* Name(int code) {\n  if (code == "
                   "2) {\n    return \"x\";\n  }\n  return \"y\";\n}\n"));
}

TEST(OnlyMentions, WishesChangesAndPagesOfTrouble) {
  EXPECT_TRUE(OnlyMentions("[FEA] show the size\nCUDA error: out of memory"));
  EXPECT_TRUE(OnlyMentions("It would be nice if it said more than CUDA error: out of memory."));
  EXPECT_TRUE(OnlyMentions("This PR catches the error and retries.\nBefore: CUDA error: out of memory"));
  EXPECT_TRUE(OnlyMentions("CUDA is not found on arm. This PR leaves the plugins out there."));
  EXPECT_FALSE(OnlyMentions("CUDA is not found on arm. With this PR, too."));
  EXPECT_TRUE(
      OnlyMentions("**Problem**: it ends in `CUDA error: out of memory`\n\n**Cause**: the card is full"));
  EXPECT_TRUE(OnlyMentions("Q: CUDA error: out of memory?\nA: take less"));
  EXPECT_FALSE(OnlyMentions("[fr@gpu032 src]$ make\nCUDA error: out of memory"));
  EXPECT_FALSE(OnlyMentions("Problem: it stops\nCUDA error: out of memory"));
}

TEST(OnlyMentions, WhatIsToBeDone) {
  for (const char* text :
       {"Put `export A=1` into our scripts, so that CUDA error: out of memory ends the job",
        "Add a page about CUDA error: out of memory", "We should say more than CUDA error: out of memory",
        "I'd show CUDA error: out of memory on that page, too",
        "We print CUDA error: out of memory here. Can we silence it?"}) {
    EXPECT_TRUE(OnlyMentions(text)) << text;
    EXPECT_FALSE(AsksForHelp(text)) << text;
  }
  for (const char* text :
       {"Update failed: CUDA error: out of memory", "Add-on of Blender: CUDA error: out of memory",
        "CUDA error: out of memory. How can we change the limit?", "We could not start it any more",
        "Move failed with CUDA error: out of memory"}) {
    EXPECT_FALSE(OnlyMentions(text)) << text;
  }
}

TEST(OnlyMentions, NotLinesOfAShellsProfile) {
  EXPECT_FALSE(
      OnlyMentions("build.sh: 11: nvcc: not found\nI have this in .bashrc:\nexport A=1\nexport B=2\n"
                   "export C=3\nexport D=4\nwhat\nelse\n"));
}

TEST(OnlyMentions, NotLogs) {
  EXPECT_FALSE(OnlyMentions("# nvidia-smi\n| NVIDIA-SMI 535 |\n|-----|\n| 0 Tesla |\n| ERR |\n| x |\n"));
  EXPECT_FALSE(
      OnlyMentions("Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n    import "
                   "torch\n    return f(x)\n"
                   "    raise E(\nRuntimeError: CUDA error: out of memory\n"));
  std::string assertions;
  for (const char* thread : {"0", "1", "2", "3", "4", "5"}) {
    assertions += std::string("/src/take.cu:7: void take(int*): block: [0,0,0], thread: [") + thread +
                  ",0,0] Assertion `i < 2` failed.\n";
  }
  EXPECT_FALSE(OnlyMentions(assertions));
  EXPECT_FALSE(OnlyMentions("step 1\nstep 2\nstep 3\nstep 4\nstep 5\nstep 6\n"));
  const std::string rule(74, '-'), frame(29, '=');
  EXPECT_FALSE(OnlyMentions("```\n[gpu3:2445] UCX ERROR no transport\n" + rule +
                            "\nNo components were opened.\n\n" + "  Host: gpu3\n" + rule + "\n```\n"));
  EXPECT_FALSE(OnlyMentions("```\n" + frame + "\n== Triton Inference Server ==\n" + frame +
                            "\nWARNING: no driver\nE0513 x\n```\n"));
}

TEST(AsksForHelp, WhereSomebodyTellsOfTheirOwnFailure) {
  for (const char* text : {
           "Hello,\nI am getting this since the update:\n`CUDA error: out of memory`",
           "When I import it, the program stops with \"CUDA error: out of memory\".",
           "We installed the toolkit yesterday.\nSince then there is an error: see below.",
           "`CUDA error: out of memory`\n\nHow can I fix that?",
           "### Issue summary: when I  am compiling it, there is an error",
           "When I build it on the server, it fails like this:",
           "`CUDA error: out of memory`\nsuch a problem happened, do you have some solution?",
           "## Steps to reproduce\n1. start it\n\n## Environment\nUbuntu",
           "### Name and Version\n1.2\n\n### Relevant log output\n\n```shell\nx\n```\n",
           "### Description\nx\n\n    CUDA error: out of memory\n\n### Expected\nno error\n",
           "# CUDA error: out of memory\n\nCould anybody help me, what do I need to do?",
           "# CUDA error: out of memory\n\n**Environment**\n- OS: Linux\n- Python: 3.12\n",
           "# CUDA error: out of memory\n\n  File \"a.py\", line 3, in step\n    run()\n",
       }) {
    EXPECT_TRUE(AsksForHelp(text)) << text;
  }
}

TEST(AsksForHelp, WhereNothingComesBack) {
  EXPECT_TRUE(AsksForHelp("two cards, no NVLink\nthe first ncclAllReduce never comes back\n"));
  EXPECT_FALSE(AsksForHelp("# Errors\n\nA collective returns an error code.\n"));
}

TEST(IsTyped, WhatFollowsACommandIsItsOutput) {
  for (const char* line : {
           "$ python3 -c \"import torch; print(torch.cuda.is_available())\"",
           "nano@board:~$ nvidia-smi",
           "(env) root@5f0c11:/app# python3 train.py",
           ">>> torch.cuda.is_available()",
           "In [3]: torch.cuda.is_available()",
           "C:\\Users\\ada> python a.py",
           "python -c \"import torch; print(torch.cuda.is_available())\"",
       }) {
    EXPECT_TRUE(IsTyped(line)) << line;
  }
  for (const char* line : {"print(torch.cuda.is_available())", "it costs 5 $", "a.cc:3: error"}) {
    EXPECT_FALSE(IsTyped(line)) << line;
  }
}

TEST(AsksForHelp, NotWhereItIsAnsweredOrNobodySpeaks) {
  for (const char* text : {
           "CUDA error: out of memory",
           "# Errors\n\n`CUDA error: out of memory` means that the card is full.",
           "[10:02] ada: I got CUDA error: out of memory\n[10:03] ben: take another card\n",
           "> I got CUDA error: out of memory, is that solved?\n\nYes, since Monday.",
           "# Frequently asked questions\n\nWhen I run it, there is an error. What now?",
           "# Errors\n\n## Environment\nSet `CUDA_HOME` first.\n",
       }) {
    EXPECT_FALSE(AsksForHelp(text)) << text;
  }
}

TEST(Mention, AProgramNamesThePlaceInItsSource) {
  const std::string line =
      "Cuda error in file 'src/solve.c' in line 149 : no CUDA-capable device is detected.";
  EXPECT_EQ(MentionAt(line, line.find("no CUDA")), Mention::kNone);
  const std::string told = "Somebody wrote in the forum that no CUDA-capable device is detected.";
  EXPECT_EQ(MentionAt(told, told.find("no CUDA")), Mention::kTalk);
}

TEST(Mention, PromptsOfShellsWithoutAName) {
  EXPECT_TRUE(IsTyped("bash-4.2$ jsrun -n 2 ./solve"));
  EXPECT_TRUE(IsTyped("sh-5.1# nvidia-smi"));
  EXPECT_FALSE(IsTyped("bash-4.2 is old"));
}

}  // namespace
}  // namespace culprit::logs
