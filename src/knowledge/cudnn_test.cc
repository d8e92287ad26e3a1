// Real questions to the cuDNN tables, and the invariants of the tables.
#include "knowledge/cudnn.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "knowledge/libraries.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

Verdict ForCuda(std::string_view cudnn, std::string_view cuda) {
  return CudnnForCuda(Known(cudnn), Known(cuda)).verdict;
}
Verdict ForGpu(std::string_view cudnn, std::string_view cuda, std::string_view cc) {
  return CudnnForGpu(Known(cudnn), Known(cuda), Known(cc)).verdict;
}
Verdict Serves(std::string_view loaded, std::string_view compiled) {
  return CudnnServes(Known(loaded), Known(compiled)).verdict;
}

TEST(Cudnn, FindsReleasesByVersionAndBuild) {
  ASSERT_EQ(FindCudnn(Known("9.10.2.21")).size(), 1u);
  EXPECT_EQ(FindCudnn(Known("9.10.2.21")).front()->version, "9.10.2");
  EXPECT_GE(FindCudnn(Known("9.10")).size(), 3u);
  EXPECT_EQ(FindCudnn(Known("9.15.0")).size(), 2u) << "its builds for CUDA 12 and 13 are numbered apart";
  EXPECT_EQ(FindCudnn(Known("9.10.2.99")).front()->version, "9.10.2") << "a build that nobody recorded";
  EXPECT_TRUE(FindCudnn(Known("10.0")).empty());
}

TEST(Cudnn, OneBuildServesItsCudaMajor) {
  EXPECT_EQ(ForCuda("9.5.1", "12.4"), Verdict::kYes);
  EXPECT_EQ(ForCuda("9.5", "12"), Verdict::kYes);
  EXPECT_EQ(ForCuda("9.15.0", "13.0"), Verdict::kYes);
  EXPECT_EQ(ForCuda("9.15.0", "12.6"), Verdict::kYes);
  EXPECT_EQ(ForCuda("8.2.1", "11.7"), Verdict::kYes);
  EXPECT_EQ(ForCuda("8.2.2", "10.2"), Verdict::kYes);
  EXPECT_EQ(ForCuda("7.4.2", "9.2"), Verdict::kYes);
}

TEST(Cudnn, EndsAndBeginningsAreNo) {
  EXPECT_EQ(ForCuda("9.11.0", "11.8"), Verdict::kNo);
  EXPECT_EQ(ForCuda("9.10.2", "11.8"), Verdict::kYes);
  EXPECT_EQ(ForCuda("9.10.2", "13.0"), Verdict::kNo);
  EXPECT_EQ(ForCuda("8.6.0", "12.0"), Verdict::kNo);
  EXPECT_EQ(ForCuda("7.6.5", "8.0"), Verdict::kNo);
}

TEST(Cudnn, WhatNvidiasMatrixOfTheReleaseDoesNotListIsNo) {
  EXPECT_EQ(ForCuda("7.6.0", "10.2"), Verdict::kNo) << "7.6.5 is the first";
  EXPECT_EQ(ForCuda("7.6.5", "10.2"), Verdict::kYes);
  EXPECT_EQ(ForCuda("7.6", "10.2"), Verdict::kYes) << "some 7.6 has one";
  EXPECT_EQ(ForCuda("8.2.1", "10.1"), Verdict::kNo);
  EXPECT_EQ(ForCuda("8.3.0", "10.0"), Verdict::kNo);
  EXPECT_EQ(ForCuda("7.6.0", "10"), Verdict::kUnknown) << "of some release of CUDA 10";
  EXPECT_EQ(ForCuda("7.2.1", "10"), Verdict::kNo);
}

TEST(Cudnn, WhatNobodyRecordedIsUnknown) {
  EXPECT_EQ(ForCuda("7.3.1", "9.2"), Verdict::kYes);
  EXPECT_EQ(ForCuda("7.3.0", "9.2"), Verdict::kUnknown);
  EXPECT_EQ(ForCuda("10.0", "13.0"), Verdict::kUnknown);
}

TEST(Cudnn, GpusBelowTheFloorAreNo) {
  EXPECT_EQ(ForGpu("9.11.0", "12.9", "6.1"), Verdict::kNo);
  EXPECT_EQ(ForGpu("9.10.2", "12.9", "6.1"), Verdict::kYes);
  EXPECT_EQ(ForGpu("9.5.1", "12.4", "6.1"), Verdict::kYes);
  EXPECT_EQ(ForGpu("9.19.0", "13.0", "7.0"), Verdict::kNo);
  EXPECT_EQ(ForGpu("8.4.0", "11.6", "3.0"), Verdict::kNo);
  EXPECT_EQ(ForGpu("8.4.0", "10.2", "3.0"), Verdict::kYes) << "the build for CUDA 10.2 goes lower";
}

TEST(Cudnn, NewGpusWhenListedOrByPtx) {
  EXPECT_EQ(ForGpu("9.19.0", "12.9", "12.0"), Verdict::kYes);
  EXPECT_EQ(ForGpu("9.19.0", "12.9", "12.1"), Verdict::kYes) << "machine code serves its major upwards";
  EXPECT_EQ(ForGpu("9.5.1", "12.4", "12.0"), Verdict::kYes) << "by compiling PTX";
  EXPECT_EQ(ForGpu("9.5.1", "11.8", "12.0"), Verdict::kNo) << "only builds for CUDA 12 do that";
  EXPECT_EQ(ForGpu("9.5.1", "0", "12.0"), Verdict::kUnknown);
  EXPECT_EQ(ForGpu("8.9.7", "12.2", "12.0"), Verdict::kNo) << "before 9.0 none did";
  EXPECT_EQ(ForGpu("8.9.7", "12.2", "8.7"), Verdict::kUnknown) << "Jetson Orin";
}

TEST(Cudnn, BinaryCompatibilityGoesUpwardsInsideAMajor) {
  EXPECT_EQ(Serves("9.10.2", "9.1.0"), Verdict::kYes);
  EXPECT_EQ(Serves("9.1.0", "9.10.2"), Verdict::kNo);
  EXPECT_EQ(Serves("8.9.7", "8.9.2"), Verdict::kYes);
  EXPECT_EQ(Serves("8.9.2", "8.9.7"), Verdict::kYes);
  EXPECT_EQ(Serves("9.1.0", "8.9.7"), Verdict::kNo);
}

TEST(Cudnn, FilesOfARelease) {
  EXPECT_EQ(PartsOf(Known("7.6.5")).size(), 1u);
  EXPECT_EQ(PartsOf(Known("8.9.7")).size(), 7u);
  EXPECT_EQ(PartsOf(Known("9.20.0")).size(), 8u);
  EXPECT_EQ(PartsOf(Known("9.21.0")).size(), 9u);
  EXPECT_EQ(PartsOf(Known("9.22.0")).size(), 10u);
  EXPECT_TRUE(PartsOf(Known("10.0")).empty());
}

TEST(Cudnn, ZlibwapiOnWindows) {
  EXPECT_FALSE(NeedsZlibwapi(Known("8.2.4")));
  EXPECT_TRUE(NeedsZlibwapi(Known("8.3.0")));
  EXPECT_TRUE(NeedsZlibwapi(Known("8.9.3")));
  EXPECT_FALSE(NeedsZlibwapi(Known("8.9.4")));  // zlib is linked in
  EXPECT_FALSE(NeedsZlibwapi(Known("9.1.0")));
}

TEST(Cudnn, AFileTellsWhichReleasesHaveIt) {
  const CudnnPart* part = FindCudnnPart("CUDNN_OPS_INFER64_8.dll");
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->major, 8u);
  EXPECT_EQ(part->since, "");
  EXPECT_EQ(part, FindCudnnPart("libcudnn_ops_infer.so.8"));
  ASSERT_NE(FindCudnnPart("cudnn_ext64_9.dll"), nullptr);
  EXPECT_EQ(FindCudnnPart("cudnn_ext64_9.dll")->since, "9.22");
  EXPECT_EQ(FindCudnnPart("cudnn_ops_infer64_9.dll"), nullptr);
  EXPECT_EQ(FindCudnnPart("LIBCUDNN.SO.8"), nullptr);
}

// --- Invariants of the tables

TEST(CudnnTables, ReleasesRiseAndBuildsBelongToThem) {
  for (size_t i = 1; i < CudnnReleases().size(); ++i) {
    EXPECT_LE(Known(CudnnReleases()[i - 1].version), Known(CudnnReleases()[i].version));
  }
  for (const CudnnRelease& row : CudnnReleases()) {
    if (!row.build.empty()) {
      EXPECT_TRUE(BeginsWith(Known(row.build), Known(row.version))) << row.version;
    }
    for (const std::string_view listed : row.cc_listed) {
      const bool major = listed.ends_with(".x");
      EXPECT_TRUE(base::Version::Parse(major ? listed.substr(0, listed.size() - 2) : listed)) << listed;
      if (!major) {
        EXPECT_GE(Known(listed), Known(row.cc_min)) << row.version;
      }
    }
  }
}

TEST(CudnnTables, TheLastReleaseForAGpuSupportsItAndTheNextDoesNot) {
  for (const CudnnLastForCapability& end : CudnnLastForCapabilities()) {
    const base::Version last = Known(end.cudnn), cc = Known(end.cc);
    for (const CudnnRelease& row : CudnnReleases()) {
      const std::string_view lowest = row.cc_min_cuda10.empty()
                                          ? (row.cc_min_cuda11.empty() ? row.cc_min : row.cc_min_cuda11)
                                          : row.cc_min_cuda10;
      if (Known(row.version) > last && Known(row.version).part(0) == 9) {
        EXPECT_GT(Known(lowest), cc) << row.version << " " << end.cc;
      } else if (BeginsWith(Known(row.version), last)) {
        EXPECT_LE(Known(lowest), cc) << row.version << " " << end.cc;
      }
    }
  }
}

TEST(CudnnTables, NoReleaseAfterTheLastForACuda) {
  for (const CudnnLastForCuda& end : CudnnLastForCudas()) {
    for (const CudnnRelease& row : CudnnReleases()) {
      if (Known(row.version) <= Known(end.cudnn)) continue;
      EXPECT_EQ(std::ranges::count(row.cuda_builds, end.cuda), 0) << row.version << " for CUDA " << end.cuda;
    }
  }
}

TEST(CudnnTables, EveryPartIsAKnownLibrary) {
  for (const CudnnPart& part : CudnnParts()) {
    if (part.major >= 7) {
      EXPECT_NE(FindLibrary(part.linux), nullptr) << part.linux;
    }
  }
}

TEST(CudnnTables, HaveTheRulesThatTheCodeQuotes) {
  for (const char* id : {"abi-major", "abi-before-7", "abi-minor-forward-no", "abi-patch",
                         "abi-minor-backward", "hardware-forward"}) {
    EXPECT_NE(FindCudnnRule(id), nullptr) << id;
  }
}

}  // namespace
}  // namespace culprit::knowledge
