#include "explain/logs/mention.h"

#include <gtest/gtest.h>

#include <string>

namespace culprit::logs {
namespace {

constexpr std::string_view kError = "CUDA error: out of memory";

bool Mentions(std::string_view line) { return MentionAt(line, line.find(kError)) != Mention::kNone; }

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
           "  2. Make sure that no other process uses the GPU: CUDA error: out of memory",
           "This may be the consequence of CUDA error: out of memory",
       }) {
    EXPECT_TRUE(Mentions(line)) << line;
  }
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
           "> \"CUDA error: out of memory\".",
       }) {
    EXPECT_FALSE(Mentions(line)) << line;
  }
}

TEST(MentionAt, TellsTalkFromWhatNeverHappened) {
  const auto at = [](std::string_view line) { return MentionAt(line, line.find(kError)); };
  EXPECT_EQ(at("and then it says \"CUDA error: out of memory\" again"), Mention::kTalk);
  EXPECT_EQ(at("# CUDA error: out of memory after the update"), Mention::kTalk);
  EXPECT_EQ(at("    return \"CUDA error: out of memory\";"), Mention::kNever);
  EXPECT_EQ(at("oom = CUDA error: out of memory"), Mention::kNever);
}

TEST(IntroducesError, WordsBeforeAnErrorButNotInAComment) {
  EXPECT_TRUE(IntroducesError("the build stops with:\n\nx"));
  EXPECT_TRUE(IntroducesError("The only hint is this error message in the terminal"));
  EXPECT_FALSE(IntroducesError("# without it the import ends with: libgomp.so.1\nRUN x\n"));
  EXPECT_FALSE(IntroducesError("step 1\nstep 2\n"));
}

TEST(OnlyMentions, DocumentsPatchesCommitsAndSources) {
  EXPECT_TRUE(OnlyMentions(
      "# Help\n\n## Errors\n\n- `CUDA error: out of memory`: use less\n- `other`: see [there](x)\n\ntext\n"));
  EXPECT_TRUE(OnlyMentions(
      "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-  a\n+  CUDA error: out of memory\n"));
  EXPECT_TRUE(OnlyMentions("0a1b2c3 Fix a\n1a1b2c3 Fix b\n2a1b2c3 Fix c\n3a1b2c3 Fix d\n4a1b2c3 Fix e\n"));
  EXPECT_TRUE(
      OnlyMentions("#include <map>\n#include <string>\n\nstatic const char* Name(int code) {\n  if (code == "
                   "2) {\n    return \"x\";\n  }\n  return \"y\";\n}\n"));
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
}

TEST(AsksForHelp, WhereSomebodyTellsOfTheirOwnFailure) {
  for (const char* text : {
           "Hello,\nI am getting this since the update:\n`CUDA error: out of memory`",
           "When I import it, the program stops with \"CUDA error: out of memory\".",
           "We installed the toolkit yesterday.\nSince then there is an error: see below.",
           "`CUDA error: out of memory`\n\nHow can I fix that?",
           "## Steps to reproduce\n1. start it\n\n## Environment\nUbuntu",
       }) {
    EXPECT_TRUE(AsksForHelp(text)) << text;
  }
}

TEST(AsksForHelp, NotWhereItIsAnsweredOrNobodySpeaks) {
  for (const char* text : {
           "CUDA error: out of memory",
           "# Errors\n\n`CUDA error: out of memory` means that the card is full.",
           "[10:02] ada: I got CUDA error: out of memory\n[10:03] ben: take another card\n",
           "> I got CUDA error: out of memory, is that solved?\n\nYes, since Monday.",
           "# Frequently asked questions\n\nWhen I run it, there is an error. What now?",
       }) {
    EXPECT_FALSE(AsksForHelp(text)) << text;
  }
}

}  // namespace
}  // namespace culprit::logs
