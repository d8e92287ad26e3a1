// The differential diagnosis: one text, several causes; several texts, one cause; the rest of the log
// decides.
#include "explain/nearest.h"
#include "explained.h"

namespace culprit {
namespace {

std::string First(const std::string& text) {
  const auto causes = Explained(text).causes;
  return causes.empty() ? "" : causes.front().cause;
}

std::vector<std::string> FirstThree(const std::string& text) {
  std::vector<std::string> names;
  for (const auto& cause : Explained(text).causes) {
    if (names.size() < 3) names.push_back(cause.cause);
  }
  return names;
}

bool Among(const std::string& cause, const std::vector<std::string>& causes) {
  return std::ranges::find(causes, cause) != causes.end();
}

TEST(Ranking, OneTextHasOppositeCauses) {
  const auto causes = FirstThree("CUDA driver version is insufficient for CUDA runtime version");
  EXPECT_EQ(causes.front(), "driver-too-old");
  EXPECT_TRUE(Among("container-runtime", causes));
  EXPECT_TRUE(Among("driver-missing", causes));
}

TEST(Ranking, LoadedAgainstCompiledIsThreeStories) {
  const auto text = [](const char* loaded, const char* compiled) {
    return std::string("Loaded runtime CuDNN library: ") + loaded +
           " but source was compiled with: " + compiled + ".";
  };
  for (const std::string& log : {text("7.1.2", "7.3.1"), text("9.19.0", "9.14.0"), text("8.9.7", "9.1.0")}) {
    EXPECT_EQ(First(log), "cudnn-version-mismatch") << log;
  }
  EXPECT_NE(Explained(text("7.1.2", "7.3.1")).causes.front().summary,
            Explained(text("8.9.7", "9.1.0")).causes.front().summary);
}

TEST(Ranking, TheFirstFailureIsToldFromWhatFollows) {
  const auto explanation = Explained(
      "/pytorch/aten/src/ATen/native/cuda/Indexing.cu:662: indexSelectLargeIndex: block: [633,0,0], thread: "
      "[64,0,0] "
      "Assertion `srcIndex < srcSelectDimSize` failed.\n"
      "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`\n");
  ASSERT_FALSE(explanation.causes.empty());
  EXPECT_EQ(explanation.causes.front().cause, "application-bug");
  ASSERT_EQ(explanation.first_failure.size(), 1u);
  EXPECT_EQ(explanation.first_failure.front().line, 1u);
  EXPECT_EQ(First("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
            "out-of-memory");
}

// The libraries of the machine are not those that the release was built for.
TEST(Ranking, AFrameworkAndTheCudaBesideIt) {
  const auto text = [](const char* framework, const char* cuda) {
    return std::string("pip install ") + framework + "\nCUDA " + cuda +
           " is installed\npython 3.7\nGTX 1650\n" + "tf.config.list_physical_devices('GPU') returns []\n";
  };
  const auto explained = Explained(text("tensorflow==2.1.0", "10.2"));
  ASSERT_FALSE(explained.causes.empty());
  EXPECT_EQ(explained.causes.front().cause, "cuda-version-mismatch");
  EXPECT_EQ(explained.causes.front().summary,
            "tensorflow 2.1.0 loads the libraries of CUDA 10.1, and CUDA 10.2 is installed");
  EXPECT_NE(First(text("tensorflow==2.1.0", "10.1")), "cuda-version-mismatch");
  EXPECT_NE(First(text("tensorflow==2.1.0", "10.2 and CUDA 10.1")), "cuda-version-mismatch");
  EXPECT_NE(First(text("tensorflow==99.1.0", "10.2")), "cuda-version-mismatch") << "no such row";
}

TEST(Ranking, FreeMemoryDecidesAboutAHandle) {
  EXPECT_EQ(First("E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:439] Could not create cudnn handle: "
                  "CUDNN_STATUS_NOT_INITIALIZED\n"
                  "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:443] Memory usage: 7995392 bytes "
                  "free, 11721572352 bytes total."),
            "out-of-memory");
}

TEST(Ranking, AnArchitectureIsHeldAgainstTheTables) {
  const auto causes = Explained("nvcc fatal   : Unsupported gpu architecture 'compute_120'").causes;
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.front().cause, "arch-unsupported-by-compiler");
  EXPECT_TRUE(std::ranges::any_of(
      causes.front().known, [](const std::string& fact) { return fact.find("12.8") != std::string::npos; }));
}

TEST(Ranking, HarmlessLinesAreNamedAndCauseNothing) {
  const auto explanation = Explained(
      "successful NUMA node read from SysFS had negative value (-1), but there must be at least one NUMA "
      "node, so "
      "returning NUMA node zero");
  EXPECT_TRUE(explanation.causes.empty());
  EXPECT_TRUE(std::ranges::any_of(explanation.symptoms,
                                  [](const auto& symptom) { return symptom.role == "harmless"; }));
}

TEST(Ranking, IsTheSameEveryTime) {
  const std::string log = "CUDNN_STATUS_INTERNAL_ERROR";
  const auto once = FirstThree(log);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(FirstThree(log), once);
}

// The tables know which driver a CUDA release needs.
TEST(Ranking, VersionsInTheTextDecide) {
  const std::string status = "Curand error 203 - rand.cpp:80: curandCreateGenerator(&generator_)\n";
  const auto first = Explained("compiled with CUDA 10, driver 396.54:\n" + status).causes.front();
  EXPECT_EQ(first.cause, "driver-too-old");
  EXPECT_EQ(first.summary, "driver 396.54 is older than 410.48, which CUDA 10.0 needs");
  EXPECT_NE(First("compiled with CUDA 10, driver 535.54:\n" + status), "driver-too-old");
}

// An error that no pattern knows.
TEST(Nearest, SymptomsThatShareItsWords) {
  const auto nearest =
      explain::NearestSymptoms("RuntimeError: cudaHostRegister rejected the pinned mapping", 3);
  ASSERT_FALSE(nearest.empty());
  EXPECT_EQ(nearest.front().words, (std::vector<std::string>{"cudahostregister", "pinned"}));
  EXPECT_TRUE(explain::NearestSymptoms("ValueError: unknown tokenizer class", 3).empty());
  EXPECT_TRUE(explain::NearestSymptoms("", 3).empty());
}

TEST(Ranking, AListingTellsWhereTheFileIs) {
  const std::string missing =
      "./server: error while loading shared libraries: libcudart.so.12: cannot open shared object file: No "
      "such file or directory\n$ ls -l lib\n";
  const auto listed = [](const std::string& name) {
    return "-rwxr-xr-x 1 a a 687456 Oct  2 08:15 " + name + "\n";
  };
  EXPECT_EQ(First(missing + listed("libcudart.so.12")), "search-path");
  EXPECT_EQ(First(missing + listed("libcudart.so.12.0")), "broken-symlink");
  EXPECT_EQ(First(missing + listed("libcudart.so.12 -> libcudart.so.12.0") + listed("libcudart.so.12.0")),
            "search-path");
  EXPECT_EQ(First(missing + listed("libcudart.so.120")), First(missing));
}

TEST(Ranking, WhatHelpedTellsBetweenCauses) {
  const std::string missing =
      "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA "
      "Display Driver is properly installed\n";
  EXPECT_EQ(First(missing), "driver-missing");
  EXPECT_EQ(First(missing + "If I put its folder into LD_LIBRARY_PATH nvidia-smi comes back.\n"),
            "search-path");
  EXPECT_EQ(First(missing + "Putting its folder into LD_LIBRARY_PATH did not help.\n"), "driver-missing");
}

TEST(Ranking, VagueWordsAloneMustBeLikely) {
  const auto explanation = Explained("so no gpu job of ours gets in\n");
  EXPECT_TRUE(explanation.causes.empty());
  ASSERT_FALSE(explanation.near.empty());
  EXPECT_EQ(explanation.near.front().cause, "gpu-not-visible");
}

TEST(Nearest, IsSaidWithItsWords) {
  const auto explanation = explain::Explain(
      {}, {{.name = "-", .lines = 1, .ends_with = {{.line = 1, .text = "cudaHostRegister: pinned"}}}});
  ASSERT_EQ(explanation.unknown.size(), 1U);
  ASSERT_FALSE(explanation.near.empty());
  EXPECT_NE(explanation.near.front().because.find("\"pinned\""), std::string::npos);
  const auto other = explain::Explain(
      {}, {{.name = "-", .lines = 1, .ends_with = {{.line = 1, .text = "modprobe: insert was rejected"}}}});
  EXPECT_TRUE(other.near.empty());
}

}  // namespace
}  // namespace culprit
