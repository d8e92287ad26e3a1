// The tables of packages beside a framework agree with each other.
#include "knowledge/packages/projects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "knowledge/packages/distributions.h"
#include "knowledge/packages/extensions.h"
#include "knowledge/packages/frameworks.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

bool IsPlatform(std::string_view text) {
  return text == "linux-x86_64" || text == "linux-aarch64" || text == "windows-x86_64";
}

bool IsListed(std::string_view package) {
  return !WheelsOf(package).empty() || !DistributionsOf(package).empty() || IsPinned(package);
}

std::string_view NameIn(std::string_view requirement) {
  return requirement.substr(0, requirement.find_first_of("[=<>~!"));
}

TEST(Projects, AreSortedByPackage) {
  EXPECT_TRUE(std::ranges::is_sorted(AllProjectWheels(), {}, &ProjectWheels::package));
  EXPECT_TRUE(std::ranges::is_sorted(AllProjectNeeds(), {}, &ProjectNeeds::package));
}

TEST(Projects, EveryRowHasVersionsAndAPlatform) {
  for (const ProjectWheels& row : AllProjectWheels()) {
    EXPECT_FALSE(row.versions.empty()) << row.package;
    EXPECT_TRUE(IsPlatform(row.platform) || row.platform == "any" || row.platform == "source") << row.package;
    EXPECT_TRUE(DistributionsOf(row.package).empty()) << row.package << " is in distributions.toml as well";
  }
}

TEST(Projects, APlatformListsAVersionOnce) {
  std::set<std::string> seen;
  for (const ProjectWheels& row : AllProjectWheels()) {
    for (const std::string_view version : row.versions) {
      const std::string key = std::string(row.package) + " " + std::string(version) + " " +
                              std::string(row.platform) + " " + std::string(row.glibc);
      EXPECT_TRUE(seen.insert(key).second) << key;
    }
  }
}

TEST(Projects, RequireOnlyWhatIsListed) {
  for (const ProjectNeeds& row : AllProjectNeeds()) {
    EXPECT_TRUE(IsListed(row.package)) << row.package;
    EXPECT_TRUE(std::ranges::all_of(row.platforms, IsPlatform)) << row.package;
    for (const std::string_view need : row.needs) {
      EXPECT_TRUE(IsListed(NameIn(need)) || !FrameworkName(NameIn(need)).empty())
          << row.package << " requires " << need;
    }
  }
}

TEST(Projects, SaysWhatMetadataSays) {
  const auto rows = NeedsOf("torch");
  EXPECT_TRUE(std::ranges::any_of(rows, [](const ProjectNeeds& row) {
    return std::ranges::find(row.versions, "2.12.0") != row.versions.end() &&
           std::ranges::find(row.needs, "nvidia-cusparselt-cu13==0.8.1") != row.needs.end();
  }));
  EXPECT_TRUE(WheelsOf("no-such-package").empty());
}

TEST(Extensions, AreAboutPackagesThatAreListed) {
  for (const ProjectCode& row : ProjectCodes()) {
    EXPECT_TRUE(IsListed(row.package)) << row.package;
    EXPECT_TRUE(std::ranges::all_of(row.platforms, IsPlatform)) << row.package;
  }
  for (const UnstatedNeeds& row : AllUnstatedNeeds()) EXPECT_TRUE(IsListed(row.package)) << row.package;
  for (const Project& row : Projects())
    EXPECT_TRUE(IsListed(row.package) || !row.note.empty()) << row.package << " is not on the index";
}

TEST(Extensions, ASourceBuildIsOfAProjectThatIsBuilt) {
  for (const SourceBuild& build : SourceBuilds()) {
    const auto all = Projects();
    const auto project = std::ranges::find(all, build.package, &Project::package);
    ASSERT_NE(project, all.end()) << build.package;
    // kOwn: what the script that makes its wheels takes.
    EXPECT_TRUE(project->gpu == GpuUse::kBuild || project->gpu == GpuUse::kRunTimeNvcc ||
                project->gpu == GpuUse::kOwn)
        << build.package;
    EXPECT_TRUE(build.nvcc) << build.package;
  }
}

}  // namespace
}  // namespace culprit::knowledge
