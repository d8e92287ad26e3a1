// `culprit explain` as users run it: logs from files, pipes and archives, codes, messages.
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/json.h"
#include "made_up_root.h"

namespace culprit {
namespace {

constexpr const char* kLog =
    "epoch 1 loss 0.91\n"
    "epoch 2 loss 0.73\n"
    "Traceback (most recent call last):\n"
    "  File \"train.py\", line 12, in <module>\n"
    "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 19, 0) but found runtime "
    "version "
    "(9, 14, 0). PyTorch already comes bundled with cuDNN.\n";

class ExplainCommand : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    WriteFile(top_ / "train.log", kLog);
    WriteFile(top_ / "fine.log", "epoch 1 loss 0.91\nepoch 2 loss 0.73\n");
  }
  base::Json Json(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.end(), {"--format", "json"});
    return base::Json::parse(Run(arguments, input).out);
  }
  static std::string FirstCause(const base::Json& json) {
    return json["causes"].empty() ? "" : json["causes"][0]["cause"].get<std::string>();
  }
};

TEST_F(ExplainCommand, Help) { ExpectGolden("explain_help.txt", {"explain", "--help"}, 0); }
TEST_F(ExplainCommand, ALog) { ExpectGolden("explain_log.txt", {"explain", "train.log"}, 1); }
TEST_F(ExplainCommand, ALogAsMarkdown) {
  ExpectGolden("explain_log.md", {"explain", "train.log", "--format", "markdown"}, 1);
}
TEST_F(ExplainCommand, NothingWrong) { ExpectGolden("explain_fine.txt", {"explain", "fine.log"}, 0); }
TEST_F(ExplainCommand, AnErrorThatNobodyKnowsIsNotFine) {
  WriteFile(top_ / "unknown.log",
            "step 1\nstep 2\nstep 3\nTraceback (most recent call last):\nKeyError: 'lr'\n");
  ExpectGolden("explain_could_not_tell.txt", {"explain", "unknown.log"}, 2);
  ExpectGolden("explain_could_not_tell.md", {"explain", "unknown.log", "--format", "markdown"}, 2);
  const base::Json json = Json({"explain", "unknown.log"});
  EXPECT_EQ(json["verdict"], "unknown");
  EXPECT_EQ(json["causes"], base::Json::array());
  EXPECT_EQ(json["unknown"][0]["line"], 5);
}
TEST_F(ExplainCommand, ACudaCode) { ExpectGolden("explain_cuda_803.txt", {"explain", "cuda:803"}, 0); }
TEST_F(ExplainCommand, ACudnnCodeSaysThatNumbersDiffer) {
  ExpectGolden("explain_cudnn_status.txt", {"explain", "cudnn:4"}, 0);
}
TEST_F(ExplainCommand, AnXid) { ExpectGolden("explain_xid.txt", {"explain", "xid:79"}, 0); }
TEST_F(ExplainCommand, AProgramIsNoLog) { ExpectGolden("explain_elf.txt", {"explain", "root/app/train"}, 2); }
TEST_F(ExplainCommand, WhatABuildSystemKeepsIsNoLog) {
  WriteFile(top_ / "build" / "CMakeCache.txt",
            "# This is the CMakeCache file.\n"
            "CUDA_cuda_driver_LIBRARY:FILEPATH=/usr/local/cuda/lib64/stubs/libcuda.so\n");
  const auto cache = Run({"explain", "build/CMakeCache.txt"});
  EXPECT_EQ(cache.status, 2);
  EXPECT_NE(cache.err.find("a CMake cache, not a log; try: culprit check build"), std::string::npos)
      << cache.err;
  WriteFile(top_ / "commands.json", R"([{"directory": "/b", "command": "nvcc -c a.cu", "file": "a.cu"}])");
  EXPECT_NE(Run({"explain", "commands.json"}).err.find("a compilation database"), std::string::npos);
}
// A line of the cache in a longer log is a setting too.
TEST_F(ExplainCommand, ASettingIsNoEvent) {
  const std::string log =
      "-- Configuring done\nCUDA_cuda_driver_LIBRARY:FILEPATH=/usr/local/cuda/lib64/stubs/libcuda.so\n";
  EXPECT_TRUE(Json({"explain", "-"}, log)["causes"].empty());
}
TEST_F(ExplainCommand, ADirectoryIsNoLog) { ExpectGolden("explain_directory.txt", {"explain", "root"}, 2); }
TEST_F(ExplainCommand, WhatIsNeitherFileNorCode) {
  ExpectGolden("explain_nothing.txt", {"explain", "no-such.log"}, 2);
}

TEST_F(ExplainCommand, JsonIsTheContract) {
  const base::Json json = Json({"explain", "train.log"});
  EXPECT_EQ(json["schema"], "culprit.explain/1");
  ASSERT_FALSE(json["causes"].empty());
  for (const base::Json& cause : json["causes"]) {
    for (const char* key : {"cause", "code", "confidence", "summary", "evidence", "separate_by", "fix"}) {
      EXPECT_TRUE(cause.contains(key)) << key;
    }
    EXPECT_FALSE(cause["separate_by"].get<std::string>().empty());
  }
  EXPECT_EQ(json["causes"][0]["evidence"][0]["line"], 5);
  const auto pair = std::ranges::find_if(
      json["symptoms"], [](const base::Json& symptom) { return symptom["symptom"] == "version-pair"; });
  ASSERT_NE(pair, json["symptoms"].end());
  EXPECT_EQ((*pair)["captures"]["order"], "older");
  EXPECT_EQ(json["verdict"], "errors");
  EXPECT_EQ(json["causes"][0]["strength"], "likely");
  EXPECT_EQ(Json({"explain", "fine.log"})["causes"], base::Json::array());
  EXPECT_EQ(Json({"explain", "fine.log"})["verdict"], "ok");
}

TEST_F(ExplainCommand, StandardInputWithAndWithoutADash) {
  EXPECT_EQ(Run({"explain"}, kLog).status, 1);
  EXPECT_EQ(Run({"explain", "-"}, kLog).status, 1);
  EXPECT_EQ(Run({"explain"}, "fine\n").status, 0);
}

TEST_F(ExplainCommand, ACompressedLog) {
  const gzFile file = gzopen((top_ / "train.log.gz").c_str(), "wb");
  gzwrite(file, kLog, static_cast<unsigned>(std::string_view(kLog).size()));
  gzclose(file);
  EXPECT_EQ(FirstCause(Json({"explain", "train.log.gz"})), FirstCause(Json({"explain", "train.log"})));
}

TEST_F(ExplainCommand, SeveralLogsNameTheFile) {
  const base::Json json = Json({"explain", "fine.log", "train.log"});
  EXPECT_EQ(json["inputs"].size(), 2u);
  EXPECT_EQ(json["causes"][0]["evidence"][0]["file"], "train.log");
}

TEST_F(ExplainCommand, CodesAndMessagesInPlaceOfALog) {
  for (const char* code : {"CUDNN_STATUS_NOT_INITIALIZED", "error code 126", "cuda:803", "xid:79",
                           "CUDA_ERROR_NO_DEVICE", "cudaErrorNoDevice", "nvml:18", "windows:126",
                           "CUBLAS_STATUS_ALLOC_FAILED", "ncclSystemError", "CUL3004"}) {
    const Output output = Run({"explain", code});
    EXPECT_EQ(output.status, 0) << code << output.err;
    EXPECT_FALSE(output.out.empty()) << code;
  }
  EXPECT_EQ(
      FirstCause(Json({"explain", "CUDA error: no kernel image is available for execution on the device"})),
      "arch-unsupported");
}

TEST_F(ExplainCommand, AnErrorThatNobodyKnowsIsNotFineAsAnArgumentEither) {
  const base::Json json = Json({"explain", "KeyError: 'lr'"});
  EXPECT_EQ(json["verdict"], "unknown");
  EXPECT_EQ(json["unknown"][0]["text"], "KeyError: 'lr'");
}

TEST_F(ExplainCommand, FollowPassesTheStreamThroughAndSpeaksOnStderr) {
  const Output output = Run({"explain", "--follow"}, kLog);
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.out, kLog);
  EXPECT_NE(output.err.find("cudnn-mixed-versions"), std::string::npos);
  const Output fine = Run({"explain", "--follow"}, "fine\n");
  EXPECT_EQ(fine.status, 0);
  EXPECT_EQ(fine.out, "fine\n");
  EXPECT_EQ(fine.err, "");
}

TEST_F(ExplainCommand, ControlCharactersNeverReachTheTerminal) {
  const std::string hostile =
      "\x1b]0;owned\x07\x1b[2J ImportError: libcudart.so.11.0\x1b[31m: cannot open shared object file: No "
      "such file\x08\x9b or directory\n";
  for (const char* format : {"text", "json", "markdown"}) {
    const Output output = Run({"explain", "--format", format, "--color", "never"}, hostile);
    EXPECT_EQ(output.status, 1);
    for (const char c : output.out) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << format;
    EXPECT_EQ(output.out.find('\x9b'), std::string::npos) << format;
  }
}

// Facts of a machine settle "insufficient driver".
TEST_F(ExplainCommand, FactsDecideWhatTheTextLeavesOpen) {
  const std::string log = "CUDA driver version is insufficient for CUDA runtime version\n";
  WriteFile(top_ / "insufficient.log", log);
  const base::Json alone = Json({"explain", "insufficient.log"});
  const base::Json old =
      Json({"explain", "insufficient.log", "--root", "root", "--host", "driver=470.82.01,gpu=sm_80"});
  EXPECT_EQ(alone["with_facts"], false);
  EXPECT_EQ(old["with_facts"], true);
  EXPECT_LT(alone["causes"][0]["confidence"], 0.9);
}

}  // namespace
}  // namespace culprit
