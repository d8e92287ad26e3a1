// The source tree keeps to its floors; and the checks can fail, as shown on trees that violate them.
#include "layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <map>

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

TEST(Layers, IncludesKeepToWhatRoomsSee) { EXPECT_THAT(ForbiddenIncludes(kSource), IsEmpty()); }

TEST(Layers, NamesSayWhatTheyHold) { EXPECT_THAT(ForbiddenNames(kSource), IsEmpty()); }

TEST(Layers, EveryFileOpensWithAComment) { EXPECT_THAT(FilesWithoutOpeningComment(kSource), IsEmpty()); }

TEST(Layers, FilesAndFunctionsAreShort) {
  EXPECT_THAT(TooLong(kSource), IsEmpty());
  EXPECT_THAT(TooLong(kSource.parent_path() / "tests"), IsEmpty());
}

// Kinds travel as types. A file that decides by a sentence reads text that somebody other than culprit wrote.
TEST(Layers, OnlyForeignSentencesAreRead) {
  EXPECT_THAT(ReadersOfSentences(kSource),
              ElementsAre("api/status_name.cc",                      // CUDA's own text for a number
                          "base/demangle.cc",                        // C++ names
                          "base/python/pep508.cc",                   // package markers
                          "change/whatif/modules.cc",                // /proc/driver/nvidia/version
                          "cli/commands/explain.cc",                 // the first line of CMake's cache
                          "cli/fleet/clush.cc",                      // what clush says of nodes
                          "collect/linux/gpus.cc",                   // /proc/driver/nvidia/gpus
                          "explain/logs/mention.cc",                 // logs
                          "explain/logs/unwrap.cc",                  // CMake
                          "plan/commands/apt_names.cc",              // NVIDIA's list of driver branches
                          "rules/live/framework_cannot_use_gpu.cc",  // what a framework says
                          "run/judge/last_words.cc",                 // exceptions of Python and C++
                          "run/judge/memory.cc",                     // PyTorch's allocator
                          "run/tools/cuda_gdb_log.cc",               // cuda-gdb
                          "run/tools/sanitizer_report.cc",           // compute-sanitizer
                          "run/watch/tool_watch.cc",                 // cuda-gdb
                          "run/watch/watch.cc",                      // the loader, in the program's output
                          "snapshot/json/parse_json.cc",             // the JSON library
                          "snapshot/secrets/hide.cc"));              // keys in texts
}

TEST(Layers, RoomsHaveNoCircle) {
  // Repeatedly remove rooms that see only rooms already removed; a cycle would leave some.
  std::map<std::string, std::set<std::string>> left;
  for (const Room& room : Rooms(kSource)) left[room.name] = room.sees;
  ASSERT_GT(left.size(), 20u);
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
  for (const Room& room : Rooms(kSource)) {
    if (room.sees.contains("system")) seers.push_back(room.folder);
  }
  EXPECT_THAT(seers, ElementsAre("api", "change/apply", "change/prove", "change/whatif", "cli", "collect",
                                 "container", "engine", "image", "probe/host", "run/watch"));
}

TEST_F(FakeTree, IncludeUpwardsIsReported) {
  Write("report/CMakeLists.txt", "culprit_folder(report COLD SEES base)\n");
  Write("loader/CMakeLists.txt", "culprit_folder(loader)\n");
  Write("render/CMakeLists.txt", "culprit_folder(render COLD\n  SEES report  # loader\n  LINKS fmt::fmt)\n");
  Write("render/page/text.cc",
        "// Text.\n#include <map>\n#include \"report/report.h\"\n  #  include \"loader/glibc/load.h\"\n");
  EXPECT_THAT(ForbiddenIncludes(root_), ElementsAre("render/page/text.cc:4: render may not see loader"));
}

TEST_F(FakeTree, ARoomInsideARoomIsItsOwn) {
  Write("run/watch/CMakeLists.txt", "culprit_folder(watch)\n");
  Write("run/judge/CMakeLists.txt", "culprit_folder(judge)\n");
  Write("run/judge/run.cc", "// Run.\n#include \"run/watch/watch.h\"\n");
  EXPECT_THAT(ForbiddenIncludes(root_), ElementsAre("run/judge/run.cc:2: judge may not see watch"));
}

TEST_F(FakeTree, IncludeWithoutFolderIsReported) {
  Write("base/CMakeLists.txt", "culprit_folder(base)\n");
  Write("base/text.cc", "// Text.\n#include \"text.h\"\n");
  EXPECT_THAT(ForbiddenIncludes(root_), ElementsAre("base/text.cc:2: \"text.h\" does not name its folder"));
}

TEST_F(FakeTree, FolderWithoutRoomIsReported) {
  Write("cloud/cloud.h", "// Clouds.\n");
  EXPECT_THAT(ForbiddenIncludes(root_),
              ElementsAre("cloud/cloud.h: belongs to no room (no culprit_folder above it)"));
}

TEST_F(FakeTree, EmptyNamesAreReported) {
  Write("base/path_util.cc", "// Paths.\n");
  Write("base/common/all.h", "// All.\n");
  Write("base/utility.h", "// A word of its own.\n");
  EXPECT_THAT(ForbiddenNames(root_), ElementsAre("base/common: a name that says nothing",
                                                 "base/path_util.cc: a name that says nothing"));
}

TEST_F(FakeTree, ComparingWithASentenceIsReported) {
  Write("base/a.cc", "// A.\nbool A() { return problem.starts_with(\"leads nowhere\"); }\n");
  Write("base/b.cc", "// B.\nbool B() { return name == \"libcuda.so.1\"; }\n");
  Write("base/c_test.cc", "// C.\nbool C() { return words == \"leads nowhere\"; }\n");
  EXPECT_THAT(ReadersOfSentences(root_), ElementsAre("base/a.cc"));
}

TEST_F(FakeTree, LongFilesAndFunctionsAreReported) {
  const auto lines = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "  A();\n";
    return text;
  };
  Write("base/a.cc",
        "void Short() {\n" + lines(60) + "}\nvoid Long(int a,\n          int b) {\n" + lines(61) + "}\n");
  Write("base/b.cc", "const int kTable[] = {\n" + lines(61) + "};\n");
  Write("base/c.cc", "namespace {\n" + lines(399) + "}  // namespace\n");
  EXPECT_THAT(TooLong(root_), ElementsAre("base/a.cc:64: a function of 61 lines", "base/c.cc: 401 lines"));
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
