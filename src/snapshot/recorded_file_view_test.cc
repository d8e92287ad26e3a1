#include "snapshot/recorded_file_view.h"

#include <gtest/gtest.h>

#include "snapshot/test_sample.h"

namespace culprit::snapshot {
namespace {

class RecordedView : public testing::Test {
 protected:
  void Directory(const std::string& path, bool listed = false) {
    record_.nodes[path] = {.kind = FileKind::kDirectory, .listed = listed};
  }
  void Link(const std::string& path, const std::string& target) {
    record_.nodes[path] = {.kind = FileKind::kLink, .link_target = target};
  }
  void File(const std::string& path) {
    record_.nodes[path] = {.kind = FileKind::kRegular,
                           .id = {1, ++inode_},
                           .size = 5,
                           .elf = std::make_shared<binfmt::ElfFile>()};
  }
  RecordedFileView& view() { return view_; }
  PathError ErrorOf(const std::string& path) { return view_.Open(path).error; }

  FileRecord record_;

 private:
  uint64_t inode_ = 0;
  RecordedFileView view_{record_};
};

TEST_F(RecordedView, FileIsFoundWithItsFacts) {
  Directory("/");
  Directory("/lib");
  File("/lib/a");
  record_.nodes["/lib/a"].set_user_id = true;
  const FileFacts& facts = view().Open("/lib//./a");
  EXPECT_EQ(facts.error, PathError::kNone);
  EXPECT_FALSE(facts.dangling);
  EXPECT_EQ(facts.kind, FileKind::kRegular);
  EXPECT_EQ(facts.id, (FileId{1, 1}));
  EXPECT_EQ(facts.size, 5u);
  EXPECT_TRUE(facts.set_user_id);
  EXPECT_EQ(facts.elf, record_.nodes["/lib/a"].elf);
}

TEST_F(RecordedView, ReferencesStayValid) {
  File("/a");
  const FileFacts& first = view().Open("/a");
  for (int i = 0; i < 1000; ++i) (void)view().Open("/" + std::to_string(i));
  EXPECT_EQ(&first, &view().Open("/a"));
  EXPECT_EQ(first.id.inode, 1u);
}

TEST_F(RecordedView, PathsOfWindowsAreFoundInAnyCase) {
  Directory("/C:");
  Directory("/C:/Windows", /*listed=*/true);
  File("/C:/Windows/NvCuda.dll");
  EXPECT_EQ(ErrorOf("/C:/WINDOWS/nvcuda.DLL"), PathError::kNone);
  EXPECT_EQ(view().RealPath("/c:/windows/nvcuda.dll"), "/C:/Windows/NvCuda.dll");
  EXPECT_EQ(ErrorOf("/C:/windows/other.dll"), PathError::kNoEntry);
  EXPECT_EQ(view().List("/C:/windows")->size(), 1u);
  File("/Lib");
  EXPECT_EQ(ErrorOf("/lib"), PathError::kNotRecorded);
}

TEST_F(RecordedView, UnknownNameInAListedDirectoryDoesNotExist) {
  Directory("/");
  Directory("/lib", /*listed=*/true);
  EXPECT_EQ(ErrorOf("/lib/a"), PathError::kNoEntry);
  EXPECT_EQ(ErrorOf("/lib/a/b"), PathError::kNoEntry);
  EXPECT_EQ(view().Directory("/lib/a"), PathError::kNoEntry);
}

TEST_F(RecordedView, UnknownNameElsewhereIsNotRecorded) {
  Directory("/");
  Directory("/lib");
  EXPECT_EQ(ErrorOf("/lib/a"), PathError::kNotRecorded);
  EXPECT_EQ(ErrorOf("/etc/a"), PathError::kNotRecorded);
  EXPECT_EQ(view().Directory("/etc"), PathError::kNotRecorded);
  EXPECT_EQ(ErrorOf("relative"), PathError::kNotRecorded);
}

TEST_F(RecordedView, EmptyRecordKnowsOnlyTheRoot) {
  EXPECT_EQ(view().Directory("/"), PathError::kNone);
  EXPECT_EQ(ErrorOf("/a"), PathError::kNotRecorded);
  EXPECT_EQ(view().List("/"), std::nullopt);
}

TEST_F(RecordedView, LookedAndNothingThereIsNoEntry) {
  record_.nodes["/opt/x"] = {.error = PathError::kNoEntry};
  EXPECT_EQ(ErrorOf("/opt/x"), PathError::kNoEntry);
  EXPECT_EQ(ErrorOf("/opt/x/y"), PathError::kNoEntry);
  EXPECT_EQ(ErrorOf("/opt/y"), PathError::kNotRecorded);
  EXPECT_FALSE(view().Open("/opt/x").dangling);
}

TEST_F(RecordedView, DirectoriesOnTheWayNeedNotBeRecorded) {
  Directory("/opt/app/lib", /*listed=*/true);
  File("/opt/app/lib/a");
  Link("/opt/app/lib/up", "../../b");
  File("/opt/b");
  EXPECT_EQ(ErrorOf("/opt/./app//lib/a"), PathError::kNone);
  EXPECT_EQ(ErrorOf("/opt/app/lib/none"), PathError::kNoEntry);
  EXPECT_EQ(view().RealPath("/opt/app/lib/up"), "/opt/b");
  EXPECT_EQ(ErrorOf("/opt/../opt/app/lib/a"), PathError::kNotRecorded);
  EXPECT_EQ(view().Directory("/opt/app"), PathError::kNotRecorded);
}

TEST_F(RecordedView, LinksAreFollowed) {
  Directory("/usr/lib");
  File("/usr/lib/a.1");
  Link("/usr/lib/a", "a.1");
  Link("/lib", "usr/lib");
  Link("/abs", "/lib/./a");
  for (const char* path : {"/usr/lib/a", "/lib/a", "/abs", "/lib/../lib/a.1", "/../abs"}) {
    EXPECT_EQ(ErrorOf(path), PathError::kNone) << path;
    EXPECT_EQ(view().RealPath(path), "/usr/lib/a.1") << path;
    EXPECT_EQ(view().Open(path).id.inode, 1u) << path;
  }
  EXPECT_EQ(view().RealPath("/lib/none"), "/lib/none");
}

TEST_F(RecordedView, DanglingLinkIsToldAsSuch) {
  Directory("/lib", /*listed=*/true);
  Link("/lib/a", "none");
  Link("/lib/b", "a");
  Link("/lib/d", "none/");
  record_.nodes["/lib/c"] = {.kind = FileKind::kLink, .error = PathError::kNoEntry, .link_target = "/else"};
  for (const char* path : {"/lib/a", "/lib/b", "/lib/c", "/lib/d"}) {
    EXPECT_EQ(ErrorOf(path), PathError::kNoEntry) << path;
    EXPECT_TRUE(view().Open(path).dangling) << path;
  }
  EXPECT_EQ(ErrorOf("/lib/a/x"), PathError::kNoEntry);
  EXPECT_FALSE(view().Open("/lib/a/x").dangling);
  EXPECT_FALSE(view().Open("/lib/none").dangling);
}

TEST_F(RecordedView, LinkWhoseTargetIsNotRecordedIsNotDangling) {
  Link("/a", "/else/where");
  EXPECT_EQ(ErrorOf("/a"), PathError::kNotRecorded);
  EXPECT_FALSE(view().Open("/a").dangling);
  Link("/b", "");
  EXPECT_EQ(ErrorOf("/b"), PathError::kNotRecorded);
}

TEST_F(RecordedView, FortyLinksAreFollowedAndNotOneMore) {
  File("/l0");
  for (int i = 1; i <= 41; ++i) Link("/l" + std::to_string(i), "l" + std::to_string(i - 1));
  EXPECT_EQ(ErrorOf("/l40"), PathError::kNone);
  EXPECT_EQ(ErrorOf("/l41"), PathError::kLoop);
  Link("/self", "self");
  EXPECT_EQ(ErrorOf("/self"), PathError::kLoop);
  EXPECT_EQ(view().Directory("/self/x"), PathError::kLoop);
}

TEST_F(RecordedView, RegularFileOnTheWayIsNotADirectory) {
  File("/a");
  record_.nodes["/fifo"] = {};
  for (const char* path : {"/a/b", "/a/", "/a/.", "/a/..", "/fifo/x"}) {
    EXPECT_EQ(ErrorOf(path), PathError::kNotDirectory) << path;
  }
  EXPECT_EQ(view().Directory("/a"), PathError::kNotDirectory);
  EXPECT_EQ(view().Open("/fifo").kind, FileKind::kOther);
}

TEST_F(RecordedView, TooLongNamesAndPathsAreToldAsSuch) {
  EXPECT_EQ(ErrorOf("/" + std::string(256, 'n')), PathError::kNameTooLong);
  EXPECT_EQ(ErrorOf(std::string(4096, '/')), PathError::kNameTooLong);
  EXPECT_EQ(ErrorOf(std::string(4095, '/')), PathError::kNone);
  EXPECT_EQ(ErrorOf(""), PathError::kNoEntry);
}

TEST_F(RecordedView, WhatMayNotBeReadIsStillThere) {
  File("/a");
  record_.nodes["/a"].error = PathError::kAccess;
  Link("/link", "a");
  record_.nodes["/dir"] = {.kind = FileKind::kDirectory, .error = PathError::kAccess};
  record_.nodes["/locked"] = {.error = PathError::kAccess};
  EXPECT_EQ(ErrorOf("/link"), PathError::kAccess);
  EXPECT_EQ(view().RealPath("/link"), "/a");
  EXPECT_EQ(ErrorOf("/dir"), PathError::kAccess);
  EXPECT_EQ(view().Directory("/dir"), PathError::kNone);
  EXPECT_EQ(ErrorOf("/dir/x"), PathError::kNotRecorded);
  EXPECT_EQ(view().Directory("/locked"), PathError::kAccess);
  EXPECT_EQ(ErrorOf("/locked/x"), PathError::kAccess);
}

TEST_F(RecordedView, DirectoryOpensAsDirectory) {
  Directory("/lib");
  Link("/link", "lib");
  EXPECT_EQ(view().Open("/link").error, PathError::kNone);
  EXPECT_EQ(view().Open("/link").kind, FileKind::kDirectory);
  EXPECT_EQ(view().Directory("/link/"), PathError::kNone);
}

TEST_F(RecordedView, RegularFileWithoutElfFactsHasNone) {
  record_.nodes["/a"] = {.kind = FileKind::kRegular};
  EXPECT_EQ(view().Open("/a").error, PathError::kNone);
  EXPECT_EQ(view().Open("/a").elf, nullptr);
}

TEST_F(RecordedView, ListGivesTheNamesOfAListedDirectory) {
  Directory("/d", /*listed=*/true);
  Link("/e", "d");
  Directory("/d/b");
  File("/d/b/deep/er");
  File("/d/b/x");
  File("/d/b-");
  File("/d/b0");
  Link("/d/a", "b0");
  record_.nodes["/d/dangling"] = {.kind = FileKind::kLink, .error = PathError::kNoEntry, .link_target = "-"};
  record_.nodes["/d/none"] = {.error = PathError::kNoEntry};
  File("/d2");
  for (const char* path : {"/d", "/e"}) {
    const auto items = view().List(path);
    ASSERT_TRUE(items);
    std::vector<std::pair<std::string, FileKind>> seen;
    for (const DirectoryItem& item : *items) seen.emplace_back(item.name, item.kind);
    const std::vector<std::pair<std::string, FileKind>> expected = {{"a", FileKind::kLink},
                                                                    {"b", FileKind::kDirectory},
                                                                    {"b-", FileKind::kRegular},
                                                                    {"b0", FileKind::kRegular},
                                                                    {"dangling", FileKind::kLink}};
    EXPECT_EQ(seen, expected);
  }
  EXPECT_FALSE(view().List("/d/b"));  // not listed
  EXPECT_FALSE(view().List("/d/b0"));
  EXPECT_FALSE(view().List("/none"));
}

TEST_F(RecordedView, ListOfTheRootHasItsOwnNamesOnly) {
  Directory("/", /*listed=*/true);
  Directory("/a", /*listed=*/true);
  File("/a/b");
  ASSERT_TRUE(view().List("/"));
  EXPECT_EQ(view().List("/")->size(), 1u);
  EXPECT_EQ(view().List("/a")->size(), 1u);
  EXPECT_EQ(ErrorOf("/b"), PathError::kNoEntry);
}

TEST_F(RecordedView, GpuCodeIsWhatWasRecorded) {
  record_.nodes["/a"] = {.kind = FileKind::kRegular};
  record_.nodes["/a"].gpu_code = Fact<binfmt::GpuCode>::Of(SampleGpuCode(), "/a");
  record_.nodes["/b"] = {.kind = FileKind::kRegular};
  EXPECT_EQ(view().GpuCode("/a"), *record_.nodes["/a"].gpu_code);
  EXPECT_EQ(view().GpuCode("/b").why, "not recorded in the snapshot");
}

TEST_F(RecordedView, VersionIsWhatWasRecorded) {
  File("/a");
  record_.nodes["/a"].version = Fact<LibraryVersion>::Of({"9.1", "12"}, "file name");
  Link("/link", "a");
  File("/b");
  EXPECT_EQ(view().Version("/link"), *record_.nodes["/a"].version);
  EXPECT_EQ(view().Version("/b"), Fact<LibraryVersion>::Unreadable("not recorded in the snapshot", "/b"));
  EXPECT_EQ(view().Version("/c"), Fact<LibraryVersion>::Unreadable("not recorded in the snapshot", "/c"));
  EXPECT_EQ(view().Version("/a/x"), Fact<LibraryVersion>::Unreadable("Not a directory", "/a/x"));
}

}  // namespace
}  // namespace culprit::snapshot
