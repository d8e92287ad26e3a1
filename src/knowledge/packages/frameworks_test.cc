// Real questions about frameworks, and the invariants of the table.
#include "knowledge/packages/frameworks.h"

#include <gtest/gtest.h>

#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

const FrameworkRelease& Row(std::string_view framework, std::string_view version,
                            std::string_view variant = "") {
  const auto rows = FindFramework(framework, Known(version), variant);
  static const FrameworkRelease kNone{};
  EXPECT_FALSE(rows.empty()) << framework << " " << version << " " << variant;
  return rows.empty() ? kNone : *rows.front();
}

Verdict OnGpu(const FrameworkRelease& row, std::string_view cc, Platform platform = Platform::kLinux) {
  return FrameworkOnGpu(row, Known(cc), nullptr, platform).verdict;
}

TEST(Frameworks, FindsReleases) {
  EXPECT_EQ(Row("torch", "2.5.1").cuda, "12.4") << "the default first";
  EXPECT_EQ(Row("torch", "2.5.1", "cu121").cudnn, "9.1.0.70");
  EXPECT_EQ(Row("torch", "2.5").version, "2.5.1");
  EXPECT_EQ(Row("tensorflow", "2.15").cuda, "12.2");
  EXPECT_EQ(Row("onnxruntime", "1.19.2").cudnn, "9");
  EXPECT_EQ(Row("onnxruntime", "1.18.1").cudnn, "8") << "what the package index has";
  EXPECT_EQ(Row("onnxruntime", "1.18.1", "cuda12").cudnn, "9") << "not the row of 1.18.0";
  EXPECT_EQ(Row("tensorflow", "2.10.1").cuda, "11.2") << "a patch release is as its first one";
  EXPECT_EQ(Row("cupy", "13.6.0").variant, "") << "the release as a whole first";
  EXPECT_EQ(Row("cupy", "13.6.0", "cuda12x").cuda, "12.0");
  EXPECT_EQ(Row("ctranslate2", "4.4.0").cudnn, "8.9.7.29");
  EXPECT_EQ(Row("ctranslate2", "4.6.3").cudnn, "none");
  EXPECT_EQ(Row("jax", "0.8.3", "cuda13").cudnn, "9.12.0.46");
  EXPECT_TRUE(FindFramework("torch", Known("99.0")).empty());
  EXPECT_TRUE(FindFramework("torch", Known("2.5.1"), "cu130").empty());
}

// Measured in the wheels; the documentation says something else about each, or nothing.
TEST(Frameworks, MeasuredCode) {
  EXPECT_EQ(OnGpu(Row("torch", "2.15.0"), "7.0"), Verdict::kNo) << "Volta ended with CUDA 12 builds";
  EXPECT_EQ(OnGpu(Row("torch", "2.15.0"), "12.0"), Verdict::kYes);
  EXPECT_EQ(OnGpu(Row("torch", "2.14.1"), "7.5"), Verdict::kYes);
  EXPECT_EQ(OnGpu(Row("onnxruntime", "1.31.1"), "10.0"), Verdict::kNo) << "no PTX, and 9.0a is for 9.0 alone";
  EXPECT_EQ(OnGpu(Row("onnxruntime", "1.28.0"), "10.0"), Verdict::kYes);
  EXPECT_EQ(OnGpu(Row("tensorflow", "2.15.1"), "9.0"), Verdict::kYes) << "by the PTX of 8.0";
  EXPECT_EQ(OnGpu(Row("tensorflow", "1.12.0"), "3.5"), Verdict::kYes);
  EXPECT_EQ(OnGpu(Row("tensorflow", "1.12.3"), "3.5"), Verdict::kNo) << "a patch release for 3.7 alone";
  EXPECT_EQ(OnGpu(Row("cupy", "11.2.0", "cuda11x"), "9.0"), Verdict::kYes) << "by the PTX of 8.6";
  EXPECT_EQ(Row("cupy", "11.2.0", "cuda11x").code.back(), "8.6+PTX");
  EXPECT_EQ(Row("cupy", "13.4.1", "cuda12x").code.back(), "12.0");
  EXPECT_EQ(Row("cupy", "13.4.1", "cuda11x").cuda, "11.2") << "beside rows of minor releases";
  EXPECT_EQ(OnGpu(Row("ctranslate2", "4.8.4"), "3.7"), Verdict::kNo);
  EXPECT_EQ(OnGpu(Row("ctranslate2", "3.24.0"), "3.7"), Verdict::kYes);
  EXPECT_TRUE(Row("torch", "2.11.0").default_aarch64);
  EXPECT_FALSE(Row("torch", "2.10.0").default_aarch64) << "the index had a CPU build";
  EXPECT_FALSE(Row("torch", "2.11.0").default_windows);
}

TEST(Frameworks, KnowsOtherNames) {
  EXPECT_EQ(FrameworkName("pytorch"), "torch");
  EXPECT_EQ(FrameworkName("onnxruntime-gpu"), "onnxruntime");
  EXPECT_EQ(FrameworkName("jax"), "jax");
  EXPECT_EQ(FrameworkName("nothing"), "");
}

TEST(Frameworks, GpusOfTorch) {
  EXPECT_EQ(OnGpu(Row("torch", "2.5.1"), "8.9"), Verdict::kYes);
  EXPECT_EQ(OnGpu(Row("torch", "2.5.1"), "12.0"), Verdict::kNo) << "no PTX";
  EXPECT_EQ(OnGpu(Row("torch", "2.7.0", "cu128"), "12.0"), Verdict::kYes);
  EXPECT_EQ(OnGpu(Row("torch", "2.14.0", "cu130"), "6.1"), Verdict::kNo);
  EXPECT_EQ(OnGpu(Row("torch", "2.14.0", "cu126"), "6.1"), Verdict::kYes);
}

TEST(Frameworks, PtxNeedsADriverThatCompilesIt) {
  FrameworkRelease row = Row("tensorflow", "2.18");  // CUDA 12.5, PTX for 9.0
  row.framework = "another";                         // whose PTX is not known to fail
  const base::Version old_driver = Known("535.104.05"), new_driver = Known("570.86.10");
  EXPECT_EQ(FrameworkOnGpu(row, Known("12.0"), &old_driver, Platform::kLinux).verdict, Verdict::kNo);
  EXPECT_EQ(FrameworkOnGpu(row, Known("12.0"), &new_driver, Platform::kLinux).verdict, Verdict::kYes);
}

TEST(Frameworks, WhatWasSeenToFailIsNoThoughThePtxWouldRun) {
  EXPECT_EQ(OnGpu(Row("tensorflow", "2.20.0"), "12.0"), Verdict::kNo);
  EXPECT_EQ(OnGpu(Row("tensorflow", "2.20.0"), "10.0"), Verdict::kNo);
  EXPECT_EQ(OnGpu(Row("tensorflow", "2.21.0"), "12.0"), Verdict::kYes);
  EXPECT_EQ(OnGpu(Row("tensorflow", "2.20.0"), "9.0"), Verdict::kYes);
}

TEST(Frameworks, DriversAreThoseOfTheirCuda) {
  EXPECT_EQ(FrameworkOnDriver(Row("torch", "2.5.1"), Known("535.104.05"), Platform::kLinux).verdict,
            Verdict::kYes);
  EXPECT_EQ(FrameworkOnDriver(Row("torch", "2.5.1"), Known("470.82.01"), Platform::kLinux).verdict,
            Verdict::kNo);
  EXPECT_EQ(FrameworkOnDriver(Row("torch", "2.5.1", "cu118"), Known("470.82.01"), Platform::kLinux).verdict,
            Verdict::kYes);
  EXPECT_EQ(FrameworkOnDriver(Row("onnxruntime", "1.20"), Known("470.82.01"), Platform::kLinux).verdict,
            Verdict::kNo);
}

TEST(Frameworks, AnInstalledToolkitMattersOnlyToThoseThatLoadIt) {
  EXPECT_EQ(FrameworkWithCuda(Row("torch", "2.5.1"), Known("11.8"), Platform::kLinux).verdict, Verdict::kYes);
  EXPECT_EQ(FrameworkWithCuda(Row("onnxruntime", "1.20"), Known("11.8"), Platform::kLinux).verdict,
            Verdict::kNo);
  EXPECT_EQ(FrameworkWithCuda(Row("onnxruntime", "1.20"), Known("12.6"), Platform::kLinux).verdict,
            Verdict::kYes);
  EXPECT_EQ(FrameworkWithCuda(Row("cupy", "13"), Known("12.6"), Platform::kLinux).verdict, Verdict::kYes);
  EXPECT_EQ(FrameworkWithCuda(Row("cupy", "13"), Known("10.2"), Platform::kLinux).verdict, Verdict::kNo);
}

TEST(Frameworks, CudnnMustBeAtLeastTheOneBuiltWith) {
  EXPECT_EQ(FrameworkWithCudnn(Row("torch", "2.5.1"), Known("9.5"), Platform::kLinux).verdict, Verdict::kYes);
  EXPECT_EQ(FrameworkWithCudnn(Row("torch", "2.5.1"), Known("8.9.7"), Platform::kLinux).verdict,
            Verdict::kNo);
  EXPECT_EQ(FrameworkWithCudnn(Row("ctranslate2", "4.4"), Known("9.1"), Platform::kLinux).verdict,
            Verdict::kNo);
  EXPECT_EQ(FrameworkWithCudnn(Row("ctranslate2", "4.8"), Known("8.9"), Platform::kLinux).verdict,
            Verdict::kYes);
  EXPECT_EQ(FrameworkWithCudnn(Row("onnxruntime", "1.20"), Known("9.10"), Platform::kLinux).verdict,
            Verdict::kYes);
  EXPECT_EQ(FrameworkWithCudnn(Row("mxnet", "1.7.0", "cu102"), Known("8.0"), Platform::kLinux).verdict,
            Verdict::kYes)
      << "its own is inside libmxnet.so";
  EXPECT_EQ(FrameworkWithCudnn(Row("mxnet", "1.8.0", "cu101"), Known("8.0"), Platform::kLinux).verdict,
            Verdict::kNo);
}

TEST(Frameworks, PythonAndPlatform) {
  EXPECT_EQ(FrameworkOnPython(Row("torch", "2.5.1"), Known("3.12")).verdict, Verdict::kYes);
  EXPECT_EQ(FrameworkOnPython(Row("torch", "2.5.1"), Known("3.13")).verdict, Verdict::kYes)
      << "the wheel exists";
  EXPECT_EQ(FrameworkOnPython(Row("torch", "2.5.1"), Known("3.14")).verdict, Verdict::kNo);
  EXPECT_EQ(FrameworkOnPython(Row("torch", "2.1.2"), Known("3.12")).verdict, Verdict::kNo);
  EXPECT_EQ(FrameworkOnPython(Row("tensorflow", "2.15"), Known("3.12.4")).verdict, Verdict::kNo);
  EXPECT_EQ(FrameworkOnPlatform(Row("tensorflow", "2.15"), Platform::kWindows).verdict, Verdict::kNo);
  EXPECT_EQ(FrameworkOnPlatform(Row("tensorflow", "2.10"), Platform::kWindows).verdict, Verdict::kYes);
  EXPECT_EQ(FrameworkOnPlatform(Row("torch", "2.5.1"), Platform::kWindows).verdict, Verdict::kYes);
}

// --- Invariants of the table

TEST(FrameworkTables, EveryCudaIsAKnownRelease) {
  for (const FrameworkRelease& row : FrameworkReleases()) {
    if (row.cuda.find('.') == std::string_view::npos) continue;
    EXPECT_NE(FindToolkit(row.cuda), nullptr) << row.framework << " " << row.version << " " << row.cuda;
  }
}

TEST(FrameworkTables, RangesEndAfterTheyBegin) {
  for (const FrameworkRelease& row : FrameworkReleases()) {
    const auto rises = [&](std::string_view first, std::string_view last) {
      if (first.empty() || last.empty() || first == "none") return;
      EXPECT_TRUE(Known(first) <= Known(last) || BeginsWith(Known(first), Known(last)))
          << row.framework << " " << row.version << ": " << first << " to " << last;
    };
    rises(row.version, row.until);
    rises(row.cuda_from, row.cuda);
    rises(row.cuda, row.cuda_until);
    rises(row.cudnn, row.cudnn_until);
    rises(row.cudnn, row.cudnn_below);
    rises(row.python, row.python_until);
  }
}

TEST(FrameworkTables, OneDefaultForARelease) {
  for (const FrameworkRelease& row : FrameworkReleases()) {
    if (!row.is_default) continue;
    for (const FrameworkRelease& other : FrameworkReleases()) {
      const bool same = &other != &row && other.framework == row.framework && other.version == row.version;
      EXPECT_FALSE(same && other.is_default) << row.framework << " " << row.version;
    }
  }
}

// A row for 2.5.0 says nothing of the builds that only a row of 2.5 has: that needs an `until` to be found
// beside it.
TEST(FrameworkTables, ARowOfOnePatchReleaseHidesNoOtherBuild) {
  for (const FrameworkRelease& row : FrameworkReleases()) {
    for (const FrameworkRelease& other : FrameworkReleases()) {
      const bool within = other.framework == row.framework && other.version.size() > row.version.size() &&
                          BeginsWith(Known(other.version), Known(row.version));
      if (!within) continue;
      EXPECT_FALSE(FindFramework(row.framework, Known(other.version), row.variant).empty())
          << row.framework << " " << other.version << " " << row.variant;
    }
  }
}

}  // namespace
}  // namespace culprit::knowledge
