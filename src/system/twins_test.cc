// Every twin of System must behave alike; the real one, that is Linux itself, is the standard.
#include <gtest/gtest.h>

#include "system/test_trees.h"

namespace culprit::system {
namespace {

struct Twin {
  const char* name;
  std::unique_ptr<TestTree> (*make)();
};

class Twins : public testing::TestWithParam<Twin> {
 protected:
  Twins() {
    alarm(60);  // a twin that blocks on a FIFO ends the test
  }
  ~Twins() override { alarm(0); }

  std::string At(const std::string& path) const { return tree().At(path); }
  TestTree& tree() const { return *tree_; }
  const System& system() const { return tree_->system(); }

  PathError OpenError(const std::string& path) const { return ErrorOf(system().Open(At(path))); }
  std::string Contents(const std::string& path) const {
    return ReadWholeFile(system(), At(path), 1 << 20).value_or("(not read)");
  }
  template <typename T>
  static PathError ErrorOf(const Outcome<T>& outcome) {
    return outcome ? PathError::kNone : outcome.error();
  }

 private:
  std::unique_ptr<TestTree> tree_ = GetParam().make();
};

std::string ReadText(const base::ByteSource& bytes, uint64_t offset, size_t count) {
  std::string text(count, '?');
  const auto read = bytes.ReadAt(offset, std::as_writable_bytes(std::span(text)));
  if (!read) return "(" + read.error().message + ")";
  text.resize(*read);
  return text;
}

TEST_P(Twins, RegularFileIsOpenedWithItsStatus) {
  tree().File("/a", "hello");
  const auto file = system().Open(At("/a"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->status.type, FileType::kRegular);
  EXPECT_EQ(file->status.size, 5u);
  EXPECT_NE(file->status.inode, 0u);
  EXPECT_EQ(file->status.mode, 0644u);
  ASSERT_TRUE(file->bytes);
  EXPECT_EQ(file->bytes->size(), 5u);
  EXPECT_EQ(ReadText(*file->bytes, 1, 3), "ell");
  EXPECT_EQ(ReadText(*file->bytes, 3, 10), "lo");
  EXPECT_EQ(ReadText(*file->bytes, 5, 1), "");
  EXPECT_EQ(ReadText(*file->bytes, ~0ull, 1), "");
}

TEST_P(Twins, DirectoryOpensWithoutBytes) {
  tree().Directory("/d");
  const auto file = system().Open(At("/d"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->status.type, FileType::kDirectory);
  EXPECT_FALSE(file->bytes);
  EXPECT_EQ(ErrorOf(ReadWholeFile(system(), At("/d"), 10)), PathError::kOther);
}

TEST_P(Twins, FifoIsReportedAndDoesNotBlock) {
  tree().Fifo("/fifo");
  tree().Link("/link", "fifo");
  for (const char* path : {"/fifo", "/link"}) {
    const auto file = system().Open(At(path));
    ASSERT_TRUE(file);
    EXPECT_EQ(file->status.type, FileType::kOther);
    EXPECT_FALSE(file->bytes);
  }
  EXPECT_EQ(ErrorOf(ReadWholeFile(system(), At("/fifo"), 10)), PathError::kOther);
  EXPECT_EQ(ErrorOf(system().List(At("/fifo"))), PathError::kNotDirectory);
}

TEST_P(Twins, MissingFileAndMissingDirectoryAreNoEntry) {
  EXPECT_EQ(OpenError("/none"), PathError::kNoEntry);
  EXPECT_EQ(OpenError("/none/a"), PathError::kNoEntry);
  EXPECT_EQ(OpenError("/none/.."), PathError::kNoEntry);
  EXPECT_EQ(ErrorOf(system().Open("")), PathError::kNoEntry);
}

TEST_P(Twins, RelativePathAndNulAreRefused) {
  EXPECT_EQ(ErrorOf(system().Open("a")), PathError::kOther);
  tree().File("/a", "");
  EXPECT_EQ(ErrorOf(system().Stat(At("/a") + std::string("\0b", 2))), PathError::kOther);
}

TEST_P(Twins, RegularFileOnTheWayIsNotADirectory) {
  tree().File("/a", "");
  for (const char* path : {"/a/b", "/a/", "/a/.", "/a/.."})
    EXPECT_EQ(OpenError(path), PathError::kNotDirectory);
  tree().Link("/to_a", "a/");
  EXPECT_EQ(OpenError("/to_a"), PathError::kNotDirectory);
  EXPECT_EQ(ErrorOf(system().List(At("/a"))), PathError::kNotDirectory);
}

TEST_P(Twins, RelativeAndAbsoluteLinksAreFollowed) {
  tree().Directory("/d");
  tree().Directory("/d/e");
  tree().File("/d/f", "text");
  tree().Link("/d/e/up", "../f");
  tree().Link("/abs", At("/d/e/up"));
  tree().Link("/dir", "d");
  for (const char* path : {"/d/e/up", "/abs", "/dir/f", "/dir/e/up", "/dir//./e/../f", "/dir/e/.././f"}) {
    EXPECT_EQ(Contents(path), "text") << path;
    EXPECT_EQ(system().RealPath(At(path)), At("/d/f")) << path;
    EXPECT_EQ(system().Stat(At(path))->inode, system().Stat(At("/d/f"))->inode) << path;
  }
}

TEST_P(Twins, DotDotAfterALinkStartsAtItsTarget) {
  tree().Directory("/a");
  tree().Directory("/a/b");
  tree().File("/a/f", "in a");
  tree().File("/f", "in root");
  tree().Link("/link", "a/b");
  EXPECT_EQ(Contents("/link/../f"), "in a");
}

TEST_P(Twins, DotDotAboveTheRootStaysThere) {
  tree().File("/f", "text");
  EXPECT_EQ(ReadWholeFile(system(), "/../.." + At("/f"), 100), "text");
  tree().Link("/up", "/../../.." + At("/f"));
  EXPECT_EQ(Contents("/up"), "text");
}

TEST_P(Twins, LinkStatAndReadLinkDoNotFollowTheLastLink) {
  tree().Directory("/d");
  tree().Link("/link", "d");
  EXPECT_EQ(system().LinkStat(At("/link"))->type, FileType::kLink);
  EXPECT_EQ(system().LinkStat(At("/link"))->size, 1u);
  EXPECT_EQ(system().Stat(At("/link"))->type, FileType::kDirectory);
  EXPECT_EQ(system().LinkStat(At("/link/"))->type, FileType::kDirectory);
  EXPECT_EQ(system().ReadLink(At("/link")), "d");
  EXPECT_EQ(ErrorOf(system().ReadLink(At("/d"))), PathError::kOther);
  EXPECT_EQ(ErrorOf(system().ReadLink(At("/none"))), PathError::kNoEntry);
  const std::string long_target(1000, 'x');
  tree().Link("/long", long_target);
  EXPECT_EQ(system().ReadLink(At("/long")), long_target);
}

TEST_P(Twins, DanglingLinkIsNoEntryButIsThere) {
  tree().Link("/dangling", "nowhere");
  EXPECT_EQ(OpenError("/dangling"), PathError::kNoEntry);
  EXPECT_EQ(ErrorOf(system().Stat(At("/dangling"))), PathError::kNoEntry);
  EXPECT_EQ(ErrorOf(system().RealPath(At("/dangling"))), PathError::kNoEntry);
  EXPECT_EQ(ErrorOf(system().LinkStat(At("/dangling"))), PathError::kNone);
}

TEST_P(Twins, LinkLoopIsToldAsLoop) {
  tree().Link("/a", "b");
  tree().Link("/b", "a");
  tree().Link("/self", "self/x");
  for (const char* path : {"/a", "/a/x", "/self"}) EXPECT_EQ(OpenError(path), PathError::kLoop) << path;
  EXPECT_EQ(ErrorOf(system().List(At("/a"))), PathError::kLoop);
}

TEST_P(Twins, FortyLinksAreFollowedAndNotOneMore) {
  tree().File("/l0", "end");
  for (int i = 1; i <= 41; ++i) tree().Link("/l" + std::to_string(i), "l" + std::to_string(i - 1));
  EXPECT_EQ(Contents("/l40"), "end");
  EXPECT_EQ(OpenError("/l41"), PathError::kLoop);
  EXPECT_EQ(ErrorOf(system().LinkStat(At("/l41"))), PathError::kNone);
}

TEST_P(Twins, TooLongNamesAndPathsAreToldAsSuch) {
  EXPECT_EQ(OpenError("/" + std::string(255, 'n')), PathError::kNoEntry);
  EXPECT_EQ(OpenError("/" + std::string(256, 'n')), PathError::kNameTooLong);
  tree().File("/f", "text");
  std::string path = At("/f");
  while (path.size() < 4095) path = "/" + path;
  EXPECT_EQ(ReadWholeFile(system(), path, 100), "text");
  EXPECT_EQ(ErrorOf(system().Open("/" + path)), PathError::kNameTooLong);
  EXPECT_EQ(ErrorOf(system().RealPath("/" + path)), PathError::kNameTooLong);
}

TEST_P(Twins, WhatMayNotBeReadIsAccess) {
  tree().Directory("/locked");
  tree().File("/locked/f", "");
  tree().File("/secret", "");
  tree().Link("/link", "locked/f");
  tree().Fifo("/fifo");
  for (const char* path : {"/locked", "/secret", "/fifo"}) tree().Unreadable(path);
  const WithoutRootRights rights;
  for (const char* path : {"/locked", "/locked/f", "/locked/none", "/secret", "/link", "/fifo"}) {
    EXPECT_EQ(OpenError(path), PathError::kAccess) << path;
  }
  EXPECT_EQ(ErrorOf(system().List(At("/locked"))), PathError::kAccess);
  EXPECT_EQ(ErrorOf(system().Stat(At("/locked/f"))), PathError::kAccess);
  EXPECT_EQ(ErrorOf(system().RealPath(At("/link"))), PathError::kAccess);
  EXPECT_EQ(ErrorOf(system().Stat(At("/secret"))), PathError::kNone);
  EXPECT_EQ(ErrorOf(system().Stat(At("/locked"))), PathError::kNone);
}

TEST_P(Twins, AccessGoesByTheBitsAndOpensNothing) {
  tree().Directory("/locked");
  tree().File("/locked/f", "");
  tree().Fifo("/open");  // opening it would block
  tree().Link("/link", "open");
  tree().File("/fixed", "");
  tree().File("/secret", "");
  tree().Mode("/open", 0666);
  tree().Mode("/fixed", 0444);
  tree().Mode("/secret", 0);
  tree().Unreadable("/locked");
  const WithoutRootRights rights;
  const auto access = [&](const char* path, Rights wanted) {
    return ErrorOf(system().Access(At(path), wanted));
  };
  for (const char* path : {"/open", "/link"}) {
    EXPECT_EQ(access(path, Rights::kReadAndWrite), PathError::kNone) << path;
  }
  EXPECT_EQ(access("/fixed", Rights::kRead), PathError::kNone);
  EXPECT_EQ(access("/fixed", Rights::kReadAndWrite), PathError::kAccess);
  EXPECT_EQ(access("/secret", Rights::kRead), PathError::kAccess);
  EXPECT_EQ(access("/locked/f", Rights::kRead), PathError::kAccess);
  EXPECT_EQ(access("/none", Rights::kRead), PathError::kNoEntry);
  EXPECT_EQ(ErrorOf(system().Access("open", Rights::kRead)), PathError::kOther);
}

TEST_P(Twins, ListIsSortedByBytesAndTellsTheTypes) {
  tree().Directory("/d");
  tree().File("/d/b", "");
  tree().Directory("/d/B");
  tree().Directory("/d/b-");
  tree().File("/d/b-/inner", "");
  tree().Link("/d/a", "b");
  tree().Fifo("/d/\xff");
  const auto entries = system().List(At("/d"));
  ASSERT_TRUE(entries);
  std::vector<std::pair<std::string, FileType>> seen;
  for (const DirectoryEntry& entry : *entries) seen.emplace_back(entry.name, entry.type);
  const std::vector<std::pair<std::string, FileType>> expected = {{"B", FileType::kDirectory},
                                                                  {"a", FileType::kLink},
                                                                  {"b", FileType::kRegular},
                                                                  {"b-", FileType::kDirectory},
                                                                  {"\xff", FileType::kOther}};
  EXPECT_EQ(seen, expected);
}

TEST_P(Twins, HugeSparseFileIsReadAtAnyOffset) {
  constexpr uint64_t kTebibyte = 1ull << 40;
  tree().SparseFile("/huge", kTebibyte);
  const auto file = system().Open(At("/huge"));
  ASSERT_TRUE(file && file->bytes);
  EXPECT_EQ(file->bytes->size(), kTebibyte);
  EXPECT_EQ(ReadText(*file->bytes, kTebibyte / 2, 4), std::string(4, '\0'));
  EXPECT_EQ(ReadText(*file->bytes, kTebibyte - 2, 4), std::string(2, '\0'));
  EXPECT_EQ(ErrorOf(ReadWholeFile(system(), At("/huge"), 1 << 20)), PathError::kOther);
}

TEST_P(Twins, FileCutWhileOpenGivesAShortRead) {
  tree().File("/f", "0123456789");
  const auto file = system().Open(At("/f"));
  tree().Truncate("/f", 4);
  EXPECT_EQ(file->bytes->size(), 10u);
  EXPECT_EQ(ReadText(*file->bytes, 2, 8), "23");
  EXPECT_EQ(ReadText(*file->bytes, 5, 1), "");
}

TEST_P(Twins, FileThatVanishesStaysReadableWhereItIsOpen) {
  tree().File("/f", "text");
  const auto file = system().Open(At("/f"));
  tree().Remove("/f");
  EXPECT_EQ(ReadText(*file->bytes, 0, 10), "text");
  EXPECT_EQ(OpenError("/f"), PathError::kNoEntry);
}

TEST_P(Twins, ReadWholeFileKeepsToItsLimit) {
  tree().File("/f", std::string(100'000, 'x'));
  EXPECT_EQ(ReadWholeFile(system(), At("/f"), 100'000), std::string(100'000, 'x'));
  EXPECT_EQ(ErrorOf(ReadWholeFile(system(), At("/f"), 99'999)), PathError::kOther);
  EXPECT_EQ(ReadWholeFile(system(), At("/f"), ~0ull)->size(), 100'000u);
  tree().File("/empty", "");
  EXPECT_EQ(ReadWholeFile(system(), At("/empty"), 0), "");
}

INSTANTIATE_TEST_SUITE_P(
    All, Twins,
    testing::Values(
        Twin{"Real", [] { return std::unique_ptr<TestTree>(new DiskTree); }},
        Twin{"Rooted", [] { return std::unique_ptr<TestTree>(new DiskTree(HostFiles::Resolve::kByKernel)); }},
        Twin{"RootedByWalk",
             [] { return std::unique_ptr<TestTree>(new DiskTree(HostFiles::Resolve::kByWalk)); }},
        Twin{"Memory", [] { return std::unique_ptr<TestTree>(new MemoryTree); }}),
    [](const auto& twin) { return twin.param.name; });

}  // namespace
}  // namespace culprit::system
