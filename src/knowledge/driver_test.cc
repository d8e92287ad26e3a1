// Real questions to the driver tables, and the invariants of the tables.
#include "knowledge/driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

std::string_view CudaOf(std::string_view driver, Platform platform = Platform::kLinux) {
  return CudaOfDriver(Known(driver), platform).cuda;
}

DriverSupport Runs(std::string_view driver, std::string_view cuda, Platform platform = Platform::kLinux) {
  return DriverRunsCuda(Known(driver), cuda, platform).support;
}

TEST(Driver, NewestCudaOfADriver) {
  EXPECT_EQ(CudaOf("535.104.05"), "12.2");
  EXPECT_EQ(CudaOf("535.54.03"), "12.2");
  EXPECT_EQ(CudaOf("525.147.05"), "12.0");
  EXPECT_EQ(CudaOf("470.239.06"), "11.4");
  EXPECT_EQ(CudaOf("580.159.04"), "13.0");
  EXPECT_EQ(CudaOf("352.31"), "7.5");
  EXPECT_EQ(CudaOf("331.20"), "");
}

std::string_view RuntimeOf(std::vector<std::string> names, size_t others = 500) {
  for (size_t i = 0; i < others; ++i) names.push_back("cudaOld" + std::to_string(i));
  std::ranges::sort(names);
  const RuntimeRow* row = RuntimeWith(names);
  return row == nullptr ? "" : row->cuda;
}

TEST(Driver, TheRuntimeInAFileByItsNewestName) {
  EXPECT_EQ(RuntimeOf({"cudaGraphLaunch", "cudaMallocAsync"}), "11.2");
  EXPECT_EQ(RuntimeOf({"cudaGraphLaunch", "cudaMallocAsync", "cudaGetDriverEntryPointByVersion"}), "12.5");
  EXPECT_EQ(RuntimeOf({}), "");
  EXPECT_EQ(RuntimeOf({"cudaMallocAsync"}, 3), "") << "a program that names a few functions";
}

TEST(Driver, NewestCudaOfABranchWithoutAPublishedToolkit) { EXPECT_EQ(CudaOf("565.57.01"), "12.7"); }

TEST(Driver, NewestCudaOfAWindowsDriver) {
  EXPECT_EQ(CudaOf("537.13", Platform::kWindows), "12.2");
  EXPECT_EQ(CudaOf("566.36", Platform::kWindows), "12.7");
  EXPECT_EQ(CudaOf("581.15", Platform::kWindows), "13.0");
}

TEST(Driver, ADriverNewerThanTheTableSupportsAtLeastTheNewest) {
  const DriverCuda cuda = CudaOfDriver(Known("700.10"));
  EXPECT_EQ(cuda.cuda, "13.4");
  EXPECT_TRUE(cuda.at_least);
  EXPECT_FALSE(CudaOfDriver(Known("580.65.06")).at_least);
}

TEST(Driver, IsWrittenAsNvidiaWritesIt) {
  EXPECT_EQ(DriverText(Known("535.104.05")), "535.104.05");
  EXPECT_EQ(DriverText(Known("520.06")), "520.06");
  EXPECT_EQ(DriverText(Known("340.108")), "340.108");
  EXPECT_EQ(DriverText(Known("535")), "535");
}

TEST(Driver, LowestDrivers) {
  EXPECT_EQ(LowestDriver("12.4"), "550.54.14");
  EXPECT_EQ(LowestDriver("12.4.1"), "550.54.15");
  EXPECT_EQ(LowestDriver("11.0"), "450.51.05") << "not the release candidate";
  EXPECT_EQ(FindToolkit("13.4")->cuda, "13.4.1") << "not the developer preview";
  EXPECT_EQ(LowestDriver("12.4", Platform::kWindows), "551.61");
  EXPECT_EQ(LowestCompatibleDriver("12.4"), "525.60.13");
  EXPECT_EQ(LowestCompatibleDriver("11.8"), "450.80.02");
  EXPECT_EQ(LowestCompatibleDriver("10.2"), "440.33");
  EXPECT_EQ(LowestDriver("12.7"), "");
  EXPECT_EQ(LowestDriver("12"), "");
}

TEST(Driver, RunsItsOwnAndOlderReleases) {
  EXPECT_EQ(Runs("550.54.14", "12.4"), DriverSupport::kYes);
  EXPECT_EQ(Runs("580.95.05", "11.8"), DriverSupport::kYes);
  EXPECT_EQ(Runs("580.95.05", "10.2"), DriverSupport::kYes);
  EXPECT_EQ(Runs("580.95.05", "6.5"), DriverSupport::kYes);
}

TEST(Driver, RunsNewerReleasesOfItsMajor) {
  EXPECT_EQ(Runs("535.104.05", "12.4"), DriverSupport::kByMinorCompatibility);
  EXPECT_EQ(Runs("525.60.13", "12.9.1"), DriverSupport::kByMinorCompatibility);
  EXPECT_EQ(Runs("580.65.06", "13.4"), DriverSupport::kByMinorCompatibility);
  const DriverAnswer answer = DriverRunsCuda(Known("535.104.05"), "12.4", Platform::kLinux);
  EXPECT_NE(answer.why.find("550.54.14"), std::string::npos) << answer.why;
  EXPECT_NE(answer.why.find("cannot compile its PTX"), std::string::npos) << answer.why;
  EXPECT_FALSE(answer.source.empty());
}

TEST(Driver, DoesNotRunANewerMajor) {
  EXPECT_EQ(Runs("470.239.06", "12.0"), DriverSupport::kNo);
  EXPECT_EQ(Runs("575.57.08", "13.0"), DriverSupport::kNo);
  EXPECT_EQ(Runs("525.60.12", "12.0"), DriverSupport::kNo);
}

TEST(Driver, HasNoMinorCompatibilityBeforeCuda11) {
  EXPECT_EQ(Runs("418.39", "10.2"), DriverSupport::kNo);
  EXPECT_EQ(Runs("418.39", "10.1"), DriverSupport::kYes);
}

TEST(Driver, SaysUnknownOfWhatTheTableDoesNotHave) {
  EXPECT_EQ(Runs("580.65.06", "14.0"), DriverSupport::kUnknown);
  EXPECT_EQ(Runs("580.65.06", "12.7"), DriverSupport::kUnknown);
  EXPECT_EQ(Runs("580.65.06", "12.x"), DriverSupport::kUnknown);
}

TEST(Driver, AWholeMajorIsDecidedByItsFirstRelease) {
  EXPECT_EQ(DriverForCuda(Known("525.60.13"), Known("12"), Platform::kLinux).verdict, Verdict::kYes);
  EXPECT_EQ(DriverForCuda(Known("470.82.01"), Known("12"), Platform::kLinux).verdict, Verdict::kNo);
  EXPECT_EQ(DriverForCuda(Known("418.39"), Known("10"), Platform::kLinux).verdict, Verdict::kUnknown);
  EXPECT_EQ(DriverForCuda(Known("535.104.05"), Known("12.4"), Platform::kLinux).verdict, Verdict::kYes);
}

TEST(Driver, RunsOnWindowsByItsOwnFloors) {
  EXPECT_EQ(Runs("528.33", "12.4", Platform::kWindows), DriverSupport::kByMinorCompatibility);
  EXPECT_EQ(Runs("527.41", "12.0", Platform::kWindows), DriverSupport::kYes);
  EXPECT_EQ(Runs("527.41", "12.4", Platform::kWindows), DriverSupport::kNo);
  EXPECT_EQ(Runs("581.15", "13.0", Platform::kWindows), DriverSupport::kByMinorCompatibility)
      << "NVIDIA gives no native floor for 13.0 on Windows";
  EXPECT_EQ(Runs("591.44", "13.0", Platform::kWindows), DriverSupport::kYes);
}

TEST(Driver, ABranchIsARangeOfDrivers) {
  const auto range = DriversOfBranch(535);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->lowest, "535.54.03");
  EXPECT_EQ(range->newest, "535.104.05");
  EXPECT_FALSE(DriversOfBranch(533));
}

TEST(Driver, ForwardCompatibilityIsForDataCentreGpusOnLinux) {
  EXPECT_EQ(ForwardCompat(Known("470.82.01"), "12.3", false, Platform::kLinux).verdict, Verdict::kNo);
  EXPECT_EQ(ForwardCompat(Known("470.82.01"), "12.3", true, Platform::kWindows).verdict, Verdict::kNo);
  EXPECT_EQ(ForwardCompat(Known("580.65.06"), "12.3", true, Platform::kLinux).verdict, Verdict::kNo)
      << "needs none";
  EXPECT_EQ(ForwardCompat(Known("535.104.05"), "13.0", true, Platform::kLinux).verdict, Verdict::kYes);
  EXPECT_EQ(ForwardCompat(Known("535.104.05"), "13.0", std::nullopt, Platform::kLinux).verdict,
            Verdict::kUnknown);
  EXPECT_EQ(ForwardCompat(Known("470.82.01"), "13.0", true, Platform::kLinux).verdict, Verdict::kNo);
  EXPECT_EQ(ForwardCompat(Known("470.82.01"), "12.3", true, Platform::kLinux).verdict, Verdict::kUnknown)
      << "no row for 12.3";
}

// --- Invariants of the tables

TEST(DriverTables, FloorsNeverFallFromReleaseToRelease) {
  const ToolkitRow* before = nullptr;
  for (const ToolkitRow& row : Toolkits()) {
    if (before != nullptr) {
      EXPECT_LT(Known(before->cuda), Known(row.cuda)) << row.cuda;
      EXPECT_LE(Known(before->min_driver_linux), Known(row.min_driver_linux)) << row.cuda;
      EXPECT_LE(Known(before->compat_min_linux), Known(row.compat_min_linux)) << row.cuda;
      if (!row.min_driver_windows.empty()) {
        EXPECT_LE(Known(before->min_driver_windows.empty() ? "0" : before->min_driver_windows),
                  Known(row.min_driver_windows))
            << row.cuda;
      }
    }
    EXPECT_LE(Known(row.compat_min_linux), Known(row.min_driver_linux)) << row.cuda;
    if (!row.bundled_driver_linux.empty() && row.cuda != "9.1.85") {  // see its note
      EXPECT_LE(Known(row.min_driver_linux), Known(row.bundled_driver_linux)) << row.cuda;
    }
    before = &row;
  }
}

TEST(DriverTables, BranchesAgreeWithTheToolkits) {
  uint32_t before = 0;
  for (const DriverBranch& row : DriverBranches()) {
    EXPECT_LT(before, row.branch);
    before = row.branch;
    const ToolkitRow* toolkit = FindToolkit(row.cuda);
    if (toolkit == nullptr) {
      EXPECT_TRUE(row.cuda == "12.7" || row.cuda == "6.5" || row.cuda == "13.5") << row.branch;
    } else {
      EXPECT_LE(Known(toolkit->min_driver_linux).part(0), std::max(row.branch, 390u)) << row.branch;
    }
  }
}

TEST(DriverTables, HaveTheRulesThatTheCodeQuotes) {
  for (const char* id : {"driver-backward-compatible", "no-cuda-12.7", "forward-compat-linux-only",
                         "forward-compat-gpu-classes"}) {
    EXPECT_NE(FindDriverRule(id), nullptr) << id;
  }
  EXPECT_EQ(FindDriverRule("nothing"), nullptr);
}

}  // namespace
}  // namespace culprit::knowledge
