#include "explain/logs/read_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "explain/logs/text_stream.h"

namespace culprit::logs {
namespace {

ReadText Reading(const std::string& text) {
  TextStream stream(text);
  auto read = ReadLog(stream);
  EXPECT_TRUE(read.has_value());
  return *std::move(read);
}

std::string UnknownOf(const std::string& text) {
  const auto read = Reading(text);
  return read.unknown ? std::to_string(read.unknown->line) + " " + read.unknown->text : "";
}

TEST(ReadLog, AnErrorThatNothingKnowsIsNamed) {
  EXPECT_EQ(UnknownOf("step 1\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n"
                      "    main()\nKeyError: 'lr'\nbye\n"),
            "5 KeyError: 'lr'");
  EXPECT_EQ(
      UnknownOf(
          "compiling\na.c:1:2: error: expected ';'\na.c:9:2: error: and more\nmake: *** [all] Error 1\n"),
      "4 make: *** [all] Error 1");
  EXPECT_EQ(UnknownOf("a\nb\nc\nERROR disk is on fire\nERROR and so on\nd\n"), "4 ERROR disk is on fire");
  EXPECT_EQ(UnknownOf("a\nb\nc\nd\n./run: line 3: 811 Segmentation fault\n").substr(0, 2), "5 ");
}

TEST(ReadLog, NoErrorWhereWordsOfFailureMeanNone) {
  for (const char* text : {
           "step 1\nstep 2\nstep 3\n0 errors, 12 passed\n",
           "a\nb\nc\nd\nerrors: 0\n",
           "a\nb\nc\nd\nloss 0.3 error 0.02\n",
           "# Errors\n\n- `KeyError: 'lr'`: the setting is missing\n- `other`: see [there](x)\n\n## "
           "More\n\ntext\n",
           "if (failed) {\n  throw std::runtime_error(\"Error: it failed\");\n}\nreturn 0;\nx\ny\n",
       }) {
    EXPECT_EQ(UnknownOf(text), "") << text;
  }
}

TEST(ReadLog, AnErrorIsNotExplainedByVagueWordsOfTheNextLine) {
  EXPECT_EQ(UnknownOf("ModuleNotFoundError: No module named 'soundfile'\nusing cuda:0\n").substr(0, 2), "1 ");
}

bool TellsOfFailure(const std::string& text) {
  return std::ranges::any_of(Reading(text).symptoms, [](const Symptom& symptom) {
    return symptom.role() != knowledge::Role::kContext && symptom.role() != knowledge::Role::kHarmless;
  });
}

TEST(ReadLog, WhoOnlyWondersShowsNoFailure) {
  const std::string said = "INFO:2025-05-26 07:44:10,212:[trainer] CUDA is not available\n";
  EXPECT_TRUE(TellsOfFailure("it says this:\n\n" + said));
  EXPECT_FALSE(TellsOfFailure("The GPUs are busy, all the same it says this. Should I care?\n\n" + said));
  EXPECT_TRUE(TellsOfFailure("It says this and then crashes. Should I care?\n\n" + said));
}

TEST(ReadLog, NamesOneToALineAreAListOfErrors) {
  const std::string list =
      "test_all 0\nCUDA_SUCCESS\n1\nCUDA_ERROR_INVALID_VALUE\n2\nCUDA_ERROR_OUT_OF_MEMORY\nout of memory\n"
      "3\nCUDA_ERROR_NOT_INITIALIZED\nthe end\n";
  EXPECT_FALSE(TellsOfFailure(list));
  EXPECT_TRUE(TellsOfFailure("step 1\nstep 2\nstep 3\nCUDA_ERROR_INVALID_VALUE\nstopped\n"));
}

TEST(ReadLog, NothingOfOursOnTheGpuOfAnotherMaker) {
  EXPECT_FALSE(TellsOfFailure("board with Mali-G610\nclGetPlatformIDs failed: -1001\n"));
  EXPECT_TRUE(TellsOfFailure("board with a GeForce 210\nclGetPlatformIDs failed: -1001\n"));
}

TEST(ReadLog, NoHintWhereSomebodySaysThatThereIsNoNvidia) {
  EXPECT_FALSE(TellsOfFailure("My pc has no Nvidia hardware whatsoever.\nthe GPU is not detected\n"));
  EXPECT_TRUE(TellsOfFailure("My pc has an Nvidia card.\nthe GPU is not detected\n"));
}

// What a program says of the GPU and goes on without it is not why it ends later.
TEST(ReadLog, AnExceptionOfTheProgramsOwnAfterANotice) {
  const std::string notice =
      "I cudart_stub.cc:28] Could not find cuda drivers on your machine, GPU will not be used.\n"
      "loading\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    main()\n";
  EXPECT_EQ(UnknownOf(notice + "ValueError: Shape mismatch in layer 0\n"),
            "6 ValueError: Shape mismatch in layer 0");
  EXPECT_FALSE(TellsOfFailure(notice + "ValueError: Shape mismatch in layer 0\n"));
  for (const char* error : {"ValueError: no GPU for this\n", "RuntimeError: it failed\n", "done\n",
                            "ImportError: libcudart.so.12: cannot open shared object file\n"}) {
    EXPECT_TRUE(TellsOfFailure(notice + error)) << error;
  }
}

// The same of a failure, where the program itself calls it a warning.
TEST(ReadLog, AnExceptionOfTheProgramsOwnAfterAWarning) {
  const auto loading = [](const std::string& level) {
    return "2021-10-25 09:41:12.491440: " + level +
           " tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
           "'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or "
           "directory\n"
           "step 1\nstep 2\n Error in py_call_impl(callable, dots$args, dots$keywords) : \n";
  };
  const std::string own = "  JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n";
  EXPECT_FALSE(TellsOfFailure(loading("W") + own));
  EXPECT_TRUE(TellsOfFailure(loading("E") + own));
  EXPECT_TRUE(TellsOfFailure(loading("W") + "RuntimeError: it failed\n"));
}

TEST(ReadLog, APluginThatNcclDoesWithoutIsNoFailure) {
  const std::string missing = "libnccl-net.so: cannot open shared object file: No such file or directory";
  const std::string info = "node1:2143:2188 [0] NCCL INFO ";
  for (const std::string& line : {
           info + "NET/Plugin : dlerror=" + missing +
               " No plugin found (libnccl-net.so), using internal implementation",
           "NET/Plugin : dlerror=" + missing +
               " No plugin found (libnccl-net.so), using internal implementation",
           info + "NET/Plugin: Plugin load (libnccl-net.so) returned 2 : " + missing,
           info + "TUNER/Plugin: Plugin load returned 11 : " + missing + " : when loading libnccl-tuner.so",
           info + "Unable to load libnccl-net.so : " + missing,
           info + "GIN/Plugin: Could not load libnccl-gin.so: dlerror=libcudart.so.11.0: cannot open shared "
                  "object file",
           info + "Failed to open libibverbs.so[.1]",
           info + "NET/Plugin: libnccl-net.so: undefined symbol: cudaGetDevice",
       }) {
    EXPECT_FALSE(TellsOfFailure(line + "\n")) << line;
    EXPECT_FALSE(TellsOfFailure(line + "\n" + line + "\nloss 0.3\n")) << line;
  }
  EXPECT_TRUE(TellsOfFailure("ImportError: " + missing + "\n"));
  EXPECT_TRUE(TellsOfFailure(info + "NET/Plugin : dlerror=" + missing + "\nImportError: " + missing + "\n"));
  EXPECT_TRUE(TellsOfFailure("node1:2143:2188 [0] NCCL WARN NET/Plugin: " + missing + "\n"));
}

TEST(ReadLog, NoHintInALineThatTellsOfSomethingElse) {
  for (const char* text : {
           "E cuda_dnn.cc:8579] Unable to register cuDNN factory: Attempting to register factory for plugin "
           "cuDNN when one has already been registered\nloss 0.3\n",
           "Requirement already satisfied: nvidia-cudnn-cu12==8.9.2.26 in ./site-packages (from torch)\n",
           "Later the GPU is not used most of the time.\n",
           "# Support for RTX 5090\n",
           "0/6 nodes are available: 3 node(s) had taint nvidia.com/gpu, 3 Insufficient memory\n",
           "fatal: clone of 'https://github.com/NVIDIA/cutlass.git' into submodule path 'cutlass' failed\n",
           "CONFLICT (content): Merge conflict in src/cuda/device.cc\n",
           "manifest for nvidia/cuda:latest not found: manifest unknown\n",
       }) {
    EXPECT_FALSE(TellsOfFailure(text)) << text;
  }
  EXPECT_TRUE(TellsOfFailure("the build fails because cuDNN is not found\n"));
  const std::string shown = "\nstep 1\nstep 2\nstep 3\nERROR the request has no prompt\n";
  EXPECT_FALSE(TellsOfFailure("Maybe a torch / cuda version mismatch is the reason?" + shown));
  EXPECT_TRUE(TellsOfFailure("The reason is a torch / cuda version mismatch" + shown));
}

TEST(ReadLog, WhatIsOnlyMentionedIsNamed) {
  const std::string document =
      "# Trouble\n\n- one\n- two\n\n```\nRuntimeError: CUDA error: out of memory\n```\n\nUse a smaller "
      "batch.\n";
  const ReadText read = Reading(document);
  EXPECT_FALSE(TellsOfFailure(document));
  ASSERT_TRUE(read.mentioned.has_value());
  EXPECT_EQ(read.mentioned->line, 7U);
  EXPECT_FALSE(Reading("epoch 1\nepoch 2\nepoch 3\nepoch 4\nepoch 5\n").mentioned.has_value());
}

TEST(ReadLog, WhatIsKnownIsNotUnknown) {
  const auto read = Reading("RuntimeError: CUDA error: out of memory\n");
  EXPECT_FALSE(read.symptoms.empty());
  EXPECT_FALSE(read.unknown);
}

// The line number counts from the start of the text, even if only its end is in memory.
TEST(ReadLog, TheEndOfALongLog) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "step " + std::to_string(i) + " of many, and all is well here\n";
  EXPECT_EQ(UnknownOf(text + "ValueError: too many\n"), "100001 ValueError: too many");
}

// What a program says that it ignores does not happen because the text is shorter once its lines are joined.
TEST(ReadLog, JoiningLinesMakesNoTextShort) {
  const auto read = Reading(
      "[TP0] Load weight begin, and this is a line that goes on for about as long as the others here do\n"
      "[TP0] Ignore import error when loading models.moe. libcudart.so.11.0: cannot open shared object file\n"
      "[TP0] Using model weights format, and this line is about as long as all the others are, more or less\n"
      "[TP0] KV Cache is allocated, and this is one more line that is about as long as all the others are\n"
      "[TP0] Memory pool end, which is the last of these lines, and they are all of the same length, "
      "nearly\n");
  EXPECT_TRUE(read.symptoms.empty());
}

TEST(ReadLog, JoinsLinesThatAConsoleBroke) {
  const std::string split =
      "F0101 12:00:00.000000 123 device.cc:87] Check failed: status == success, error: CUDA drive";
  const std::string rest = "r version is insufficient for CUDA runtime version";
  const auto joined =
      Reading("a\nb\nc\nd\n" + split + "\n" + rest + "\n" + std::string(split.size(), '-') + "\n");
  ASSERT_FALSE(joined.symptoms.empty());
  EXPECT_EQ(joined.symptoms.front().line, 5u);
}

}  // namespace
}  // namespace culprit::logs
