#include "system/path_walk.h"

#include <gtest/gtest.h>

#include <map>

namespace culprit::system {
namespace {

constexpr auto kDir = FileType::kDirectory;

Outcome<std::string> Walk(const std::map<std::string, PathNode>& nodes, std::string_view path,
                          LastLink last = LastLink::kFollow) {
  return WalkPath(path, last, [&](const std::string& clean) -> Outcome<PathNode> {
    const auto node = nodes.find(clean);
    if (node == nodes.end()) return std::unexpected(PathError::kNoEntry);
    return node->second;
  });
}

TEST(PathWalk, ResultIsClean) {
  const std::map<std::string, PathNode> nodes = {{"/a", {kDir}}, {"/a/b", {kDir}}, {"/a/c", {}}};
  EXPECT_EQ(Walk(nodes, "/"), "/");
  EXPECT_EQ(Walk(nodes, "//.//"), "/");
  EXPECT_EQ(Walk(nodes, "/../.."), "/");
  EXPECT_EQ(Walk(nodes, "//a/.//b/..//c"), "/a/c");
  EXPECT_EQ(Walk(nodes, "/a/"), "/a");
}

TEST(PathWalk, AsksOnlyForCleanPathsWithoutLinks) {
  std::vector<std::string> asked;
  const auto lookup = [&](const std::string& path) -> Outcome<PathNode> {
    asked.push_back(path);
    if (path == "/l") return PathNode{FileType::kLink, "/./d/"};
    return PathNode{kDir, ""};
  };
  EXPECT_EQ(WalkPath("/l/./x/../y", LastLink::kFollow, lookup), "/d/y");
  EXPECT_EQ(asked, (std::vector<std::string>{"/l", "/d", "/d/x", "/d/y"}));
}

TEST(PathWalk, KeepsTheLastLinkOnlyWithoutATrailingSlash) {
  const std::map<std::string, PathNode> nodes = {{"/d", {kDir}}, {"/l", {FileType::kLink, "d"}}};
  EXPECT_EQ(Walk(nodes, "/l", LastLink::kKeep), "/l");
  EXPECT_EQ(Walk(nodes, "/l/", LastLink::kKeep), "/d");
  EXPECT_EQ(Walk(nodes, "/l/.", LastLink::kKeep), "/d");
  EXPECT_EQ(Walk(nodes, "/l"), "/d");
}

TEST(PathWalk, PassesOnWhatTheLookupSays) {
  const auto lookup = [](const std::string&) -> Outcome<PathNode> {
    return std::unexpected(PathError::kNotRecorded);
  };
  EXPECT_EQ(WalkPath("/a", LastLink::kFollow, lookup).error(), PathError::kNotRecorded);
}

TEST(PathWalk, EmptyLinkLeadsNowhere) {
  const std::map<std::string, PathNode> nodes = {{"/l", {FileType::kLink, ""}}};
  EXPECT_EQ(Walk(nodes, "/l").error(), PathError::kNoEntry);
}

}  // namespace
}  // namespace culprit::system
