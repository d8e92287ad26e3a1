// A small squashfs of mksquashfs (the seeds of the fuzzer) in each compression; and what a hostile one may
// do.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "image/image.h"
#include "image/sif.h"
#include "image/squashfs/squashfs_system.h"

namespace culprit::image {
namespace {

using system::FileType;
using system::PathError;

std::string Seed(const std::string& name) {
  std::ifstream file(std::string(CULPRIT_SOURCE_DIR) + "/fuzz/corpus/squashfs/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SquashfsText final : public base::ByteSource {
 public:
  explicit SquashfsText(std::string text) : text_(std::move(text)) {}
  uint64_t size() const override { return text_.size(); }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    return base::MemorySource(std::as_bytes(std::span(text_))).ReadAt(offset, out);
  }

 private:
  std::string text_;
};

struct OpenedVolume {
  std::shared_ptr<Troubles> troubles = std::make_shared<Troubles>();
  std::unique_ptr<SquashfsSystem> machine;
};

base::Result<OpenedVolume> OpenText(std::string text, const Budget& budget = {}) {
  auto volume = SquashfsVolume::Open(std::make_shared<SquashfsText>(std::move(text)));
  if (!volume) return std::unexpected(volume.error());
  OpenedVolume opened;
  opened.machine = std::make_unique<SquashfsSystem>(*std::move(volume), budget, opened.troubles);
  return opened;
}

class EachCompressor : public testing::TestWithParam<const char*> {};

TEST_P(EachCompressor, GivesTheTree) {
  const auto opened = OpenText(Seed(GetParam()));
  ASSERT_TRUE(opened) << opened.error().message;
  const SquashfsSystem& machine = *opened->machine;
  std::string expected;
  for (int i = 0; i < 256 * 40; ++i) expected += static_cast<char>(i % 256);
  expected += "end";
  EXPECT_EQ(system::ReadWholeFile(machine, "/usr/lib/libone.so.1", 1 << 20), expected);
  EXPECT_EQ(system::ReadWholeFile(machine, "/lib/libone.so", 1 << 20), expected);
  EXPECT_EQ(machine.RealPath("/lib/libone.so"), "/usr/lib/libone.so.1");
  EXPECT_EQ(machine.ReadLink("/lib"), "usr/lib");
  EXPECT_EQ(machine.LinkStat("/lib")->type, FileType::kLink);
  EXPECT_EQ(machine.Stat("/usr/lib/libhard.so")->inode, machine.Stat("/usr/lib/libone.so.1")->inode);
  const auto hole = system::ReadWholeFile(machine, "/usr/lib/hole", 1 << 20);
  EXPECT_EQ(hole, std::string(20000, '\0') + "x");
  EXPECT_EQ(machine.List("/etc")->size(), 61u);
  EXPECT_EQ(machine.Stat("/usr/none").error(), PathError::kNoEntry);
  EXPECT_EQ(machine.Stat("/etc/file1/x").error(), PathError::kNotDirectory);
  EXPECT_EQ(machine.Stat("/loop").error(), PathError::kLoop);
  EXPECT_EQ(machine.List("/etc/file1").error(), PathError::kNotDirectory);
  EXPECT_TRUE(machine.Access("/etc/file1", system::Rights::kRead));
  const auto file = machine.Open("/etc/file7");
  std::array<std::byte, 4> some;
  EXPECT_EQ(file->bytes->ReadAt(~uint64_t{0}, some), 0u);
  EXPECT_TRUE(opened->troubles->All().first.empty());
}
INSTANTIATE_TEST_SUITE_P(Squashfs, EachCompressor,
                         testing::Values("gzip.squashfs", "xz.squashfs", "lz4.squashfs", "zstd.squashfs",
                                         "plain.squashfs"),
                         [](const auto& test) {
                           const std::string name = test.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(Squashfs, SaysThatItIsTruncatedWhereverItIsCut) {
  const std::string whole = Seed("gzip.squashfs");
  for (size_t size = 0; size < whole.size(); size += 7) EXPECT_FALSE(OpenText(whole.substr(0, size)));
}

TEST(Squashfs, KeepsToItsBudget) {
  const auto opened = OpenText(Seed("gzip.squashfs"), {.entries = 10});
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->machine->List("/etc")->empty());
  ASSERT_EQ(opened->troubles->All().first.size(), 1u);
  EXPECT_EQ(opened->troubles->All().first[0], (Trouble{"/etc", "too many files"}));
}

TEST(Squashfs, EntersADirectoryInOnePlaceOnly) {
  // The inode of /etc is that of /usr then: each name in the root has its place in the table of inodes.
  std::string bytes = Seed("plain.squashfs");
  const size_t etc = bytes.rfind("etc", bytes.rfind("lib")), usr = bytes.rfind("usr");
  ASSERT_LT(usr, bytes.size());
  ASSERT_LT(etc, bytes.size());
  for (size_t i = 0; i < 2; ++i) bytes[etc - 8 + i] = bytes[usr - 8 + i];
  const auto opened = OpenText(std::move(bytes));
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->machine->List("/usr")->size(), 1u);
  EXPECT_TRUE(opened->machine->List("/etc")->empty());
  EXPECT_EQ(opened->troubles->All().first.at(0).why, "the same directory appears in two places");
}

TEST(Sif, LeadsToItsRoot) {
  const SquashfsText file(Seed("image.sif"));
  const auto root = FindSifRoot(file);
  ASSERT_TRUE(root) << root.error().message;
  EXPECT_EQ(root->architecture, "amd64");
  EXPECT_EQ(root->size, Seed("gzip.squashfs").size());
}

}  // namespace
}  // namespace culprit::image
