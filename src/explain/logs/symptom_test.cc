#include "explain/logs/symptom.h"

#include <gtest/gtest.h>

namespace culprit::logs {
namespace {

std::string Implied(Attributes captures, std::string_view name) {
  AddImplied(captures);
  const auto found = captures.find(name);
  return found == captures.end() ? "" : found->second;
}

TEST(AddImplied, ComparesVersionsInEveryForm) {
  const auto order = [](const char* compiled, const char* loaded) {
    return Implied({{"compiled", compiled}, {"loaded", loaded}}, "order");
  };
  EXPECT_EQ(order("7.6.5", "7.5.1"), "older");
  EXPECT_EQ(order("(9, 19, 0)", "(9, 14, 0)"), "older");
  EXPECT_EQ(order("8907", "90100"), "other-major");
  EXPECT_EQ(order("7102", "7605"), "newer");
  EXPECT_EQ(order("9.1", "9.1.0"), "equal");
  EXPECT_EQ(order("unknown", "7605"), "");
  EXPECT_EQ(Implied({{"library", "CUDA"}, {"loaded", "12020"}}, "loaded"), "12.2");
  EXPECT_EQ(Implied({{"library", "cuDNN"}, {"loaded", "8907"}}, "loaded"), "8.9.7");
}

TEST(AddImplied, SaysOnWhichSideOfABuildAGpuIs) {
  const auto side = [](const char* arch, const char* archs) {
    return Implied({{"arch", arch}, {"archs", archs}}, "arch_side");
  };
  EXPECT_EQ(side("sm_120", "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"), "too-new");
  EXPECT_EQ(side("6.1", "(7.0) - (12.0)"), "too-old");
  EXPECT_EQ(side("sm_61", "sm_50 sm_70 sm_80 sm_86"), "inside");
  EXPECT_EQ(side("sm_90", "none"), "");
}

TEST(AddImplied, KnowsACudaErrorByNameNumberAndText) {
  EXPECT_EQ(Implied({{"status", "CUDA_ERROR_NO_DEVICE"}}, "status"), "cudaErrorNoDevice");
  EXPECT_EQ(Implied({{"code", "803"}, {"api", "cuda"}}, "status"), "cudaErrorSystemDriverMismatch");
  EXPECT_EQ(Implied({{"code", "38"}, {"api", "cuda"}}, "status"), "cudaErrorNoDevice");  // before CUDA 10.1
  EXPECT_EQ(Implied({{"message", "No CUDA-capable device is detected"}}, "status"), "cudaErrorNoDevice");
  EXPECT_EQ(Implied({{"status", "CUDNN_STATUS_BAD_PARAM"}}, "status"), "CUDNN_STATUS_BAD_PARAM");
}

TEST(AddImplied, JudgesFreeMemoryAndPlaces) {
  EXPECT_EQ(Implied({{"free", "7995392"}}, "memory"), "low");
  EXPECT_EQ(Implied({{"free", "1.5"}, {"unit", "GiB"}}, "memory"), "some");
  EXPECT_EQ(Implied({{"path", "/home/me/.venv/lib/python3.12/site-packages/nvidia/cudnn/lib"}}, "place"),
            "site-packages");
  EXPECT_EQ(Implied({{"library", R"(C:\Users\me\AppData\Local\Temp\_MEI89242\app_cublas.dll)"}}, "place"),
            "frozen");
  EXPECT_EQ(Implied({{"library", "libcudnn.so.9"}}, "place"), "");
}

}  // namespace
}  // namespace culprit::logs
