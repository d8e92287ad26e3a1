// The tables against each other, and against what the package index has.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "knowledge/arch.h"
#include "knowledge/cudnn.h"
#include "knowledge/packages/distributions.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/packages.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

std::string BuildName(const FrameworkRelease& row) {
  return Text(row.framework) + " " + Text(row.version) + (row.variant.empty() ? "" : "+" + Text(row.variant));
}

// --- GPU code of a build, and what its toolkit compiles

// "12.0a" of "12.0a+PTX" and of "PTX 12.0a".
std::string_view Target(std::string_view code) {
  if (code.starts_with("PTX ")) code.remove_prefix(4);
  if (code.ends_with("+PTX")) code.remove_suffix(4);
  return code;
}

bool Compiles(std::string_view cuda, std::string_view target) {
  if (!target.ends_with('a') && !target.ends_with('f'))
    return ToolkitTargets(cuda, Known(target)).verdict == Verdict::kYes;
  const Version release = MinorOf(Known(cuda));
  return std::ranges::any_of(TargetVariants(), [&](const TargetVariant& row) {
    return row.target == target && Known(row.first_cuda) <= release &&
           (row.last_cuda.empty() || release <= Known(row.last_cuda));
  });
}

// A row that names a major alone, or a range, was built with some release of it.
bool IsBuiltFor(const FrameworkRelease& row, std::string_view target) {
  const Version first = Known(row.cuda), last = Known(row.cuda_until.empty() ? row.cuda : row.cuda_until);
  return std::ranges::any_of(Toolkits(), [&](const ToolkitRow& toolkit) {
    const Version release = Known(toolkit.cuda);
    const bool within = (first <= release && release <= last) || BeginsWith(release, first) ||
                        BeginsWith(release, last) || BeginsWith(first, MinorOf(release));
    return within && Compiles(toolkit.cuda, target);
  });
}

TEST(Coverage, ABuildHasCodeThatItsToolkitCompiles) {
  for (const FrameworkRelease& row : FrameworkReleases()) {
    if (row.cuda.empty()) continue;
    for (const auto& codes : {row.code, row.code_windows, row.code_aarch64}) {
      for (const std::string_view code : codes) {
        EXPECT_TRUE(IsBuiltFor(row, Target(code)))
            << BuildName(row) << ": CUDA " << row.cuda << " does not compile for " << code;
      }
    }
  }
}

// --- Releases on the package index

bool IsLeftOut(std::string_view package, const Version& version) {
  return std::ranges::any_of(LeftOutReleases(), [&](const LeftOut& row) {
    return row.package == package && Known(row.version) <= version &&
           version <= Known(row.until.empty() ? row.version : row.until);
  });
}

bool HasRow(std::string_view package, const Version& version) {
  if (package == "cuda-toolkit") {
    const ToolkitRow* row = FindToolkit(version.ToString());
    return row != nullptr && Known(row->cuda) == version;
  }
  if (package.starts_with("nvidia-cudnn-cu")) return !FindCudnn(version).empty();
  return !FindFramework(FrameworkName(package), version).empty();
}

TEST(Coverage, EveryReleaseOnTheIndexHasARow) {
  for (const std::string_view package : {"torch", "tensorflow", "jax", "onnxruntime-gpu", "cuda-toolkit",
                                         "nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"}) {
    ASSERT_FALSE(DistributionsOf(package).empty()) << package;
    for (const Distribution& wheel : DistributionsOf(package)) {
      const Version version = Known(wheel.version.substr(0, wheel.version.find(".post")));
      EXPECT_TRUE(HasRow(package, version) || IsLeftOut(package, version))
          << package << " " << wheel.version << " is on the package index: add a row ("
          << (package == "cuda-toolkit"             ? "[[toolkit]] in data/drivers.toml"
              : package.starts_with("nvidia-cudnn") ? "[[release]] in data/cudnn.toml"
                                                    : "[[release]] in data/frameworks.toml")
          << "), or a [[left_out]] row with the reason in data/packages.toml";
    }
  }
}

TEST(Coverage, WhatIsLeftOutHasNoRow) {
  for (const LeftOut& row : LeftOutReleases()) {
    EXPECT_FALSE(HasRow(row.package, Known(row.version))) << row.package << " " << row.version;
  }
}

// --- A build and its wheels

// What pip installs.
std::string PackageOf(const FrameworkRelease& row) {
  if (row.framework == "cupy") return "cupy-" + Text(row.variant.empty() ? "cuda12x" : row.variant);
  const bool apart =
      row.framework == "tensorflow" && Known(row.version) < Known("2.1");  // tensorflow: no GPU
  return Text(row.framework) + (apart || row.framework == "onnxruntime" ? "-gpu" : "");
}

// The wheels that a row is about.
std::vector<const Distribution*> WheelsOfRow(const FrameworkRelease& row) {
  std::vector<const Distribution*> wheels;
  const Version first = Known(row.version), last = Known(row.until.empty() ? row.version : row.until);
  for (const Distribution& wheel : DistributionsOf(PackageOf(row))) {
    const Version version = Known(wheel.version.substr(0, wheel.version.find(".post")));
    if (first <= version && (version <= last || BeginsWith(version, last))) wheels.push_back(&wheel);
  }
  return wheels;
}

std::set<Version> PythonsOnTheIndex(const FrameworkRelease& row) {
  std::set<Version> pythons;
  for (const Distribution* wheel : WheelsOfRow(row)) {
    if (wheel->platform != "linux-x86_64") continue;
    for (const std::string_view python : wheel->pythons) pythons.insert(Known(python));
  }
  return pythons;
}

// DistributionsOf() takes packages to be in order, and the rows of one release to be neighbours.
TEST(Coverage, RowsOfAReleaseAreNeighbours) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  std::string_view package, version;
  for (const Distribution& row : Distributions()) {
    if (row.package == package && row.version == version) continue;
    EXPECT_LE(package, row.package) << Text(row.version);
    EXPECT_TRUE(seen.insert({row.package, row.version}).second)
        << Text(row.package) << " " << Text(row.version);
    package = row.package, version = row.version;
  }
}

TEST(Coverage, NoRowIsNewerThanTheIndex) {
  for (const FrameworkRelease& row : FrameworkReleases()) {
    const std::span<const Distribution> wheels = DistributionsOf(PackageOf(row));
    if (wheels.empty() || row.index_unknown) continue;
    const bool published = std::ranges::any_of(wheels, [&](const Distribution& wheel) {
      return Known(row.version) <= Known(wheel.version.substr(0, wheel.version.find(".post")));
    });
    EXPECT_TRUE(published) << BuildName(row) << ": the package index has no release so new";
  }
}

bool HasGpu(LibrariesFrom libraries) {
  return libraries != LibrariesFrom::kUnknown && libraries != LibrariesFrom::kNoGpu;
}

TEST(Coverage, AGpuBuildForWindowsHasAWheel) {
  for (const FrameworkRelease& row : FrameworkReleases()) {
    const bool on_the_index = row.variant.empty();
    const std::vector<const Distribution*> wheels = WheelsOfRow(row);
    if (!on_the_index || wheels.empty() || !HasGpu(row.libraries_windows)) continue;
    EXPECT_TRUE(std::ranges::any_of(
        wheels, [](const Distribution* wheel) { return wheel->platform == "windows-x86_64"; }))
        << BuildName(row)
        << ": the package index has no wheel for Windows, say libraries_windows = \"no-gpu\"";
  }
}

TEST(Coverage, PythonsAreThoseOfTheWheels) {
  for (const FrameworkRelease& row : FrameworkReleases()) {
    const bool on_the_index = row.is_default || row.variant.empty();
    if (!on_the_index || row.python.empty() || row.framework == "jax") continue;  // jax is one wheel for all
    const std::set<Version> pythons = PythonsOnTheIndex(row);
    if (pythons.empty()) continue;
    EXPECT_EQ(row.python, pythons.begin()->ToString()) << BuildName(row) << ": python";
    EXPECT_EQ(row.python_until, pythons.rbegin()->ToString()) << BuildName(row) << ": python_until";
  }
}

// --- Drivers

TEST(Coverage, NoBranchNamesAnEndThatIsPast) {
  constexpr std::string_view kEnd = "EOL ";
  for (const DriverBranch& row : DriverBranches()) {
    const size_t at = row.status.find(kEnd);
    if (at == std::string_view::npos) continue;
    EXPECT_GT(row.status.substr(at + kEnd.size(), 7), KnowledgeDate().substr(0, 7))
        << "branch " << row.branch << " is at its end: take its status out of data/drivers.toml";
  }
}

TEST(Coverage, EveryToolkitHasABranchAndADriverOfIt) {
  for (const ToolkitRow& row : Toolkits()) {
    const uint32_t branch = Known(row.min_driver_linux).part(0);
    EXPECT_TRUE(std::ranges::any_of(DriverBranches(),
                                    [&](const DriverBranch& known) {
                                      return known.branch == branch &&
                                             Known(known.cuda) >= MinorOf(Known(row.cuda));
                                    }))
        << "CUDA " << row.cuda << " needs driver " << row.min_driver_linux << ": add a [[branch]] row for "
        << branch << " to data/drivers.toml, whose newest CUDA is that or later";
  }
}

}  // namespace
}  // namespace culprit::knowledge
