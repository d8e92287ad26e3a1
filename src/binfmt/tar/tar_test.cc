#include "binfmt/tar/tar.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "binfmt/tar/test_tar.h"

namespace culprit::binfmt {
namespace {

class TextInput final : public TarInput {
 public:
  explicit TextInput(std::string text) : text_(std::move(text)) {}
  base::Result<size_t> Read(std::span<char> out) override {
    const size_t n = std::min(out.size(), text_.size() - at_);
    std::copy_n(text_.data() + at_, n, out.data());
    at_ += n;
    return n;
  }
  base::Result<uint64_t> Skip(uint64_t count) override {
    const uint64_t n = std::min<uint64_t>(count, text_.size() - at_);
    at_ += static_cast<size_t>(n);
    return n;
  }

 private:
  std::string text_;
  size_t at_ = 0;
};

struct ReadTar {
  std::vector<TarEntry> entries;
  std::vector<std::string> data;
  std::string error;
};

ReadTar Members(const std::string& bytes) {
  ReadTar result;
  TextInput input(bytes);
  TarReader reader(input);
  while (true) {
    auto entry = reader.Next();
    if (!entry) {
      result.error = entry.error().message;
      return result;
    }
    if (!*entry) return result;
    std::string data(static_cast<size_t>(std::min<uint64_t>((*entry)->stored, 1 << 20)), '\0');
    const auto got = reader.Read(data);
    if (!got) {
      result.error = got.error().message;
      return result;
    }
    if (!(*entry)->data) result.error = "no place";
    EXPECT_EQ(bytes.substr((*entry)->data, data.size()), data);
    result.entries.push_back(**entry);
    result.data.push_back(data);
  }
}

TEST(Tar, ReadsMembersOfEveryType) {
  TestTar tar;
  tar.Directory("etc/")
      .File("etc/passwd", "root")
      .Link("etc/link", "passwd")
      .HardLink("etc/hard", "etc/passwd");
  tar.Add({.path = "dev/null", .type = '3', .mode = 0666});
  const ReadTar read = Members(tar.bytes());
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.entries.size(), 5u);
  EXPECT_EQ(read.entries[0].type, TarType::kDirectory);
  EXPECT_EQ(read.entries[1].path, "etc/passwd");
  EXPECT_EQ(read.entries[1].mode, 0644u);
  EXPECT_EQ(read.entries[1].group, 44u);
  EXPECT_EQ(read.data[1], "root");
  EXPECT_EQ(read.entries[2].link, "passwd");
  EXPECT_EQ(read.entries[3].type, TarType::kHardLink);
  EXPECT_EQ(read.entries[4].type, TarType::kOther);
}

TEST(Tar, LongNamesOfGnuPaxAndUstar) {
  const std::string name = std::string(150, 'd') + "/" + std::string(90, 'f'), target(300, 't');
  TestTar tar;
  tar.Add({"././@LongLink", 'L', name + std::string(1, '\0')});
  tar.Add({"././@LongLink", 'K', target + std::string(1, '\0')});
  tar.Add({.path = name.substr(0, 100), .type = '2', .link = target.substr(0, 100), .gnu = true});
  tar.Pax({{"path", name}, {"linkpath", target}, {"gid", "70000"}}).Link("short", "short");
  tar.Add({.path = std::string(90, 'f'), .raw = {{345, std::string(150, 'd')}}});
  const ReadTar read = Members(tar.bytes());
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.entries.size(), 3u);
  for (const TarEntry& entry : read.entries) EXPECT_EQ(entry.path, name);
  EXPECT_EQ(read.entries[0].link, target);
  EXPECT_EQ(read.entries[1].link, target);
  EXPECT_EQ(read.entries[1].group, 70000u);
}

TEST(Tar, SizesInBinaryAndInPax) {
  TestTar tar;
  tar.Add(
      {.path = "binary", .data = "12345", .raw = {{124, std::string("\x80\0\0\0\0\0\0\0\0\0\0\x05", 12)}}});
  tar.Pax({{"size", "3"}}).Add({.path = "pax", .data = "abc", .claimed = 0});
  const ReadTar read = Members(tar.bytes());
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.data, (std::vector<std::string>{"12345", "abc"}));
}

TEST(Tar, GlobalPaxHeaderHoldsForAllUnlessAMemberSaysOtherwise) {
  TestTar tar;
  tar.Pax({{"gid", "7"}}, 'g').File("a", "").Pax({{"gid", "8"}}).File("b", "").File("c", "");
  const ReadTar read = Members(tar.bytes());
  ASSERT_EQ(read.entries.size(), 3u);
  EXPECT_EQ(read.entries[0].group, 7u);
  EXPECT_EQ(read.entries[1].group, 8u);
  EXPECT_EQ(read.entries[2].group, 7u);
}

TEST(Tar, SparseFilesOfAllFourFormats) {
  const auto number = [](uint64_t n) { return TestTar::Octal(n, 11) + std::string(1, '\0'); };
  TestTar tar;
  tar.Add({.path = "old",
           .type = 'S',
           .data = "abcd",
           .gnu = true,
           .raw = {{386, number(10) + number(2) + number(100) + number(2)}, {483, number(200)}}});
  tar.Pax({{"GNU.sparse.size", "200"},
           {"GNU.sparse.numblocks", "2"},
           {"GNU.sparse.offset", "10"},
           {"GNU.sparse.numbytes", "2"},
           {"GNU.sparse.offset", "100"},
           {"GNU.sparse.numbytes", "2"}})
      .File("0.0", "abcd");
  tar.Pax({{"GNU.sparse.size", "200"}, {"GNU.sparse.name", "0.1"}, {"GNU.sparse.map", "10,2,100,2"}})
      .File("x", "abcd");
  std::string map = "2\n10\n2\n100\n2\n";
  map.resize(512);
  tar.Pax({{"GNU.sparse.major", "1"},
           {"GNU.sparse.minor", "0"},
           {"GNU.sparse.name", "1.0"},
           {"GNU.sparse.realsize", "200"}})
      .File("x", map + "abcd");
  tar.File("after", "z");
  const ReadTar read = Members(tar.bytes());
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.entries.size(), 5u);
  const std::vector<std::string> names = {"old", "0.0", "0.1", "1.0"};
  for (size_t i = 0; i < 4; ++i) {
    const TarEntry& entry = read.entries[i];
    EXPECT_EQ(entry.path, names[i]);
    EXPECT_EQ(entry.size, 200u) << names[i];
    EXPECT_EQ(read.data[i], "abcd") << names[i];
    ASSERT_TRUE(entry.extents && entry.extents->size() == 2) << names[i];
    EXPECT_EQ((*entry.extents)[1].at, 100u) << names[i];
  }
  EXPECT_EQ(read.data[4], "z");
}

TEST(Tar, LinksHaveNoDataWhateverTheySay) {
  TestTar tar;
  tar.Add({.path = "link", .type = '1', .link = "x", .claimed = 1000}).File("after", "z");
  const ReadTar read = Members(tar.bytes());
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.entries.size(), 2u);
}

TEST(Tar, EndsWithoutZerosAndAtNothing) {
  EXPECT_EQ(Members(TestTar().File("a", "1").unfinished()).error, "");
  EXPECT_EQ(Members("").error, "");
  EXPECT_EQ(Members(TestTar().bytes()).error, "");
}

TEST(Tar, WhatIsDamagedIsTold) {
  const std::string whole = TestTar().File("a", std::string(1000, 'x')).bytes();
  EXPECT_EQ(Members(whole.substr(0, 100)).error, "truncated");
  EXPECT_EQ(Members(whole.substr(0, 700)).error, "truncated");
  std::string other = whole;
  other[0] = 'b';
  EXPECT_EQ(Members(other).error, "not a tar header");
  EXPECT_EQ(Members(TestTar().File("a", "").unfinished() + std::string(512, '\0') + whole).error,
            "something after a block of zeros");
  EXPECT_EQ(Members(TestTar().Add({"x", 'x', "9999 path=a\n"}).File("a", "").bytes()).error,
            "a damaged pax header");
  EXPECT_EQ(Members(TestTar().Add({.path = "x", .type = 'L', .claimed = 1 << 30}).bytes()).error,
            "a header of more than 1 MiB");
  EXPECT_EQ(
      Members(TestTar().Pax({{"GNU.sparse.size", "10"}, {"GNU.sparse.map", "8,4"}}).File("a", "abcd").bytes())
          .error,
      "a damaged sparse map");
  EXPECT_EQ(Members(TestTar().Pax({{"size", "9223372036854775807"}}).File("a", "").bytes()).error,
            "a member larger than any file");
}

// No byte may make the reader crash or hang.
TEST(Tar, AnyByteMayBeWrong) {
  std::string map = "1\n10\n2\n";
  map.resize(512);
  const std::string whole =
      TestTar()
          .Pax({{"GNU.sparse.major", "1"}, {"GNU.sparse.realsize", "200"}, {"GNU.sparse.name", "s"}})
          .File("s", map + "ab")
          .Add({"././@LongLink", 'L', std::string(200, 'n')})
          .File("n", "data")
          .bytes();
  for (size_t at = 0; at < whole.size(); at += 3) {
    for (const char wrong : {'\xff', '9', '\0'}) {
      std::string other = whole;
      other[at] = wrong;
      EXPECT_LE(Members(other).entries.size(), 10u);
    }
  }
}

}  // namespace
}  // namespace culprit::binfmt
