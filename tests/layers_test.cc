// The source tree keeps to its floors; and the checks that say so can fail, shown on trees that break them.
#include "layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace culprit::layers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::filesystem::path kSource = std::filesystem::path(CULPRIT_SOURCE_DIR) / "src";

class FakeTree : public ::testing::Test {
 protected:
  FakeTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "layers_test.XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~FakeTree() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }

  std::filesystem::path root_;
};

TEST(Layers, IncludesKeepToTheTable) { EXPECT_THAT(ForbiddenIncludes(kSource), IsEmpty()); }

TEST(Layers, SeesListsEqualTheTable) { EXPECT_THAT(DifferingSeesLists(kSource), IsEmpty()); }

TEST(Layers, NamesSayWhatTheyHold) { EXPECT_THAT(ForbiddenNames(kSource), IsEmpty()); }

TEST(Layers, EveryFileOpensWithAComment) { EXPECT_THAT(FilesWithoutOpeningComment(kSource), IsEmpty()); }

TEST(Layers, TableHasNoCircle) {
  // Take away folders that see only folders already taken; a circle would leave some.
  auto left = AllowedIncludes();
  for (std::size_t before = 0; before != left.size();) {
    before = left.size();
    std::erase_if(left, [&left](const auto& row) {
      for (const std::string& seen : row.second) {
        if (left.contains(seen)) return false;
      }
      return true;
    });
  }
  EXPECT_TRUE(left.empty());
}

TEST(Layers, OnlyThoseSeeTheMachineWhoLookAtItOrChangeIt) {
  std::vector<std::string> seers;
  for (const auto& [folder, seen] : AllowedIncludes()) {
    if (seen.contains("system")) seers.push_back(folder);
  }
  EXPECT_THAT(seers, ElementsAre("api", "apply", "cli", "collect", "probe", "watch", "whatif"));
}

TEST_F(FakeTree, IncludeUpwardsIsReported) {
  Write("render/text.cc",
        "// Text.\n#include <map>\n#include \"report/report.h\"\n  #  include \"loader/load.h\"\n");
  EXPECT_THAT(ForbiddenIncludes(root_), ElementsAre("render/text.cc:4: render may not see loader"));
}

TEST_F(FakeTree, IncludeWithoutFolderIsReported) {
  Write("base/text.cc", "// Text.\n#include \"text.h\"\n");
  EXPECT_THAT(ForbiddenIncludes(root_), ElementsAre("base/text.cc:2: \"text.h\" does not name its folder"));
}

TEST_F(FakeTree, UnknownFolderIsReported) {
  Write("cloud/cloud.h", "// Clouds.\n");
  EXPECT_THAT(ForbiddenIncludes(root_),
              ElementsAre("cloud/cloud.h: the folder cloud is not in the table of tests/layers.cc"));
}

TEST_F(FakeTree, SeesListThatDiffersIsReported) {
  Write("base/CMakeLists.txt", "culprit_folder(base LINKS fmt::fmt)\n");
  Write("binfmt/CMakeLists.txt", "culprit_folder(binfmt SEES base)\n");
  Write("snapshot/CMakeLists.txt",
        "culprit_folder(snapshot\n  SOURCES fact.cc\n  SEES base system  # binfmt\n)\n");
  Write("render/CMakeLists.txt", "culprit_folder(render SEES base LINKS culprit_snapshot fmt::fmt)\n");
  Write("cli/CMakeLists.txt",
        "culprit_program(culprit SOURCES main.cc LINKS culprit_render culprit_cloud)\n");
  EXPECT_THAT(
      DifferingSeesLists(root_),
      ElementsAre(
          "cli/CMakeLists.txt: {cloud render}, but the table of tests/layers.cc says {base binfmt render "
          "snapshot}",
          "render/CMakeLists.txt: {base snapshot}, but the table of tests/layers.cc says {base}",
          "snapshot/CMakeLists.txt: {base system}, but the table of tests/layers.cc says {base binfmt}"));
}

TEST_F(FakeTree, EmptyNamesAreReported) {
  Write("base/path_util.cc", "// Paths.\n");
  Write("base/common/all.h", "// All.\n");
  Write("base/utility.h", "// A word of its own.\n");
  EXPECT_THAT(ForbiddenNames(root_), ElementsAre("base/common: a name that says nothing",
                                                 "base/path_util.cc: a name that says nothing"));
}

TEST_F(FakeTree, MissingOpeningCommentIsReported) {
  Write("base/a.h", "#pragma once\n// Late.\n");
  Write("base/b.h", "// In time.\n#pragma once\n");
  Write("base/b.cc", "#include \"base/b.h\"\n");
  Write("base/b_test.cc", "#include \"base/b.h\"\n");
  Write("base/c.cc", "#include \"base/b.h\"\n");
  Write("base/d.cc", "#include \"base/d.h\"\n");
  EXPECT_THAT(FilesWithoutOpeningComment(root_),
              ElementsAre("base/a.h: does not open with a comment", "base/c.cc: does not open with a comment",
                          "base/d.cc: does not open with a comment"));
}

}  // namespace
}  // namespace culprit::layers
