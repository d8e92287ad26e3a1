// The cache reader on hand-made caches, valid and corrupt.
#include "binfmt/cache/ld_so_cache.h"

#include <gtest/gtest.h>

#include "binfmt/cache/ld_so_cache_layout.h"
#include "binfmt/cache/write_ld_so_cache.h"
#include "binfmt/elf/write.h"

namespace culprit::binfmt {
namespace {

using Layout = LdCache::Layout;

base::Result<LdCache> Read(std::string_view bytes) { return ReadLdCache(AsSource(bytes)); }

constexpr uint64_t kNamed = uint64_t{ld_cache::kNamedHwcap} << 32;

// In file order; the writer computes the same hwcap from the directory.
std::vector<LdCacheEntry> Entries() {
  return {{0x0303, "libz.so.1", "/usr/lib/glibc-hwcaps/x86-64-v3/libz.so.1", kNamed | 1, "x86-64-v3"},
          {0x0303, "libz.so.1", "/usr/lib/glibc-hwcaps/x86-64-v2/libz.so.1", kNamed | 0, "x86-64-v2"},
          {0x0303, "libz.so.1", "/usr/lib/libz.so.1", 0, ""},
          {0x0303, "libcudnn.so.10", "/usr/lib/libcudnn.so.10", 0, ""},
          {0x0303, "libcudnn.so.9", "/usr/lib/libcudnn.so.9", 0, ""},
          {0x0003, "liba.so", "/usr/lib32/liba.so", uint64_t{1} << 63, ""}};
}

class LdSoCacheOfEveryLayout : public ::testing::TestWithParam<std::tuple<Layout, bool, bool>> {
 protected:
  static LdCacheSpec Spec() {
    const auto [layout, big_endian, says_byte_order] = GetParam();
    return {
        .layout = layout, .big_endian = big_endian, .says_byte_order = says_byte_order, .entries = Entries()};
  }
};
INSTANTIATE_TEST_SUITE_P(Layouts, LdSoCacheOfEveryLayout,
                         ::testing::Combine(::testing::Values(Layout::kOld, Layout::kEmbedded, Layout::kNew),
                                            ::testing::Bool(), ::testing::Bool()));

TEST_P(LdSoCacheOfEveryLayout, GivesAllEntriesInOrder) {
  const LdCacheSpec spec = Spec();
  const auto cache = Read(BuildLdCache(spec));
  ASSERT_TRUE(cache.has_value()) << cache.error().message;
  EXPECT_EQ(cache->layout, spec.layout);
  std::vector<LdCacheEntry> expected = Entries();
  if (spec.layout == Layout::kOld) {
    for (LdCacheEntry& entry : expected) entry.hwcap = 0, entry.hwcaps_dir = {};
  } else {
    EXPECT_EQ(cache->generator, "culprit");
  }
  EXPECT_EQ(cache->entries, expected);
}

TEST_P(LdSoCacheOfEveryLayout, CutAtEveryLengthIsAnErrorOrAShorterExtension) {
  const std::string whole = BuildLdCache(Spec());
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto cache = Read(std::string_view(whole).substr(0, length));
    if (cache && Spec().says_byte_order && !Spec().big_endian) {
      EXPECT_EQ(cache->entries.size(), 6u) << length;
    }
  }
}

TEST_P(LdSoCacheOfEveryLayout, EverySingleByteReplacedNeverCrashes) {
  const std::string whole = BuildLdCache(Spec());
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned value : {0x00u, 0x01u, 0x7fu, 0x80u, 0xffu}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(value);
      if (const auto cache = Read(bytes)) {
        EXPECT_LE(cache->entries.size(), 100u);
      }
    }
  }
}

TEST(LdSoCache, EmptyCacheHasNoEntries) {
  for (const Layout layout : {Layout::kOld, Layout::kEmbedded, Layout::kNew}) {
    const auto cache = Read(BuildLdCache({.layout = layout}));
    ASSERT_TRUE(cache.has_value());
    EXPECT_EQ(cache->layout, layout);
    EXPECT_TRUE(cache->entries.empty());
  }
}

TEST(LdSoCache, EmbeddedTableOfI386IsAlignedToFour) {
  const std::string aligned =
      BuildLdCache({.layout = Layout::kEmbedded, .generator = "", .entries = {Entries()[2]}});
  // One old entry ends at 28, so four bytes of padding follow; without them everything else is the same.
  const auto cache = Read(aligned.substr(0, 28) + aligned.substr(32));
  ASSERT_TRUE(cache.has_value());
  EXPECT_EQ(cache->layout, Layout::kEmbedded);
  EXPECT_EQ(cache->entries, std::vector{Entries()[2]});
}

TEST(LdSoCache, FileWithoutExtensionsHasNoGenerator) {
  const auto cache = Read(BuildLdCache({.generator = "", .entries = {Entries()[2]}}));
  ASSERT_TRUE(cache.has_value());
  EXPECT_EQ(cache->generator, "");
}

TEST(LdSoCache, IsaLevelBesideTheHwcapMarkIsIgnored) {
  LdCacheSpec spec{.entries = Entries()};
  std::string bytes = BuildLdCache(spec);
  bytes[ld_cache::kHeaderSize + 16 + 4] = 3;  // the first entry requires x86-64-v3
  const auto cache = Read(bytes);
  ASSERT_TRUE(cache.has_value());
  EXPECT_EQ(cache->entries[0].hwcaps_dir, "x86-64-v3");
  EXPECT_EQ(cache->entries[0].hwcap, kNamed | uint64_t{3} << 32 | 1);
}

TEST(LdSoCache, OtherFilesAreNotCaches) {
  for (const std::string_view text : {"", "x", "glibc-ld.so.cache1.0 and more text", "\177ELF"}) {
    const auto cache = Read(text);
    ASSERT_FALSE(cache.has_value());
    EXPECT_EQ(cache.error().code, base::ErrorCode::kBadFormat);
  }
}

TEST(LdSoCache, ByteOrderMarkedInvalidIsAnErrorAsForLdSo) {
  std::string bytes = BuildLdCache({.entries = Entries()});
  bytes[ld_cache::kFlagsAt] = ld_cache::kByteOrderInvalid;
  EXPECT_FALSE(Read(bytes).has_value());
}

TEST(LdSoCache, MoreEntriesThanFitAreAnError) {
  std::string bytes = BuildLdCache({.entries = Entries()});
  bytes[ld_cache::kCountAt + 3] = 0x7f;
  EXPECT_FALSE(Read(bytes).has_value());
}

TEST(LdSoCache, NameOutsideTheFileIsAnErrorThatNamesTheEntry) {
  std::string bytes = BuildLdCache({.entries = Entries()});
  bytes[ld_cache::kHeaderSize + ld_cache::kEntrySize + 7] = 0x7f;  // key of entry 1
  const auto cache = Read(bytes);
  ASSERT_FALSE(cache.has_value());
  EXPECT_EQ(cache.error().message, "ld.so.cache: the strings of entry 1 cannot be read");
}

TEST(LdSoCache, LongPathSharedByManyEntriesDoesNotFillMemory) {
  LdCacheSpec spec;
  const std::string path(4000, 'x');
  spec.entries.assign(20000, {0x0303, "liba.so", path, 0, ""});
  EXPECT_FALSE(Read(BuildLdCache(spec)).has_value());
}

TEST(LdSoCache, TextAsLongAsAPathMayBeIsReadAndALongerOneIsAnError) {
  for (const size_t length : {2047u, 2048u, 4095u, 4096u, 4097u}) {
    const std::string path(length, 'x');
    const auto cache = Read(BuildLdCache({.entries = {{0x0303, "liba.so", path, 0, ""}}}));
    ASSERT_EQ(cache.has_value(), length <= 4096) << length;
    if (cache) {
      EXPECT_EQ(cache->entries[0].path, path);
    }
  }
}

TEST(LdSoCache, HugeFileIsNotRead) {
  class Huge final : public base::ByteSource {
   public:
    uint64_t size() const override { return uint64_t{1} << 40; }
    base::Result<size_t> ReadAt(uint64_t, std::span<std::byte>) const override {
      ADD_FAILURE() << "read";
      return size_t{0};
    }
  };
  const auto cache = ReadLdCache(Huge());
  ASSERT_FALSE(cache.has_value());
  EXPECT_EQ(cache.error().code, base::ErrorCode::kTooLarge);
}

TEST(LdSoCache, FlagsAreNamedAsLdconfigNamesThem) {
  EXPECT_EQ(LdCacheFlagsName(0x0303), "libc6,x86-64");
  EXPECT_EQ(LdCacheFlagsName(0x0a03), "libc6,AArch64");
  EXPECT_EQ(LdCacheFlagsName(0x0003), "libc6");
  EXPECT_EQ(LdCacheFlagsName(0x0001), "ELF");
  EXPECT_EQ(LdCacheFlagsName(0x0903), "libc6,hard-float");
  EXPECT_EQ(LdCacheFlagsName(0x7f03), "libc6,32512");
}

TEST(LdSoCache, DigitsCompareAsNumbers) {
  EXPECT_GT(LdCacheCompare("libfoo.so.10", "libfoo.so.9"), 0);
  EXPECT_LT(LdCacheCompare("libfoo.so.9", "libfoo.so.10"), 0);
  EXPECT_EQ(LdCacheCompare("libfoo.so.09", "libfoo.so.9"), 0);
  EXPECT_GT(LdCacheCompare("lib1", "libx"), 0);  // a digit is greater than any other character
  EXPECT_LT(LdCacheCompare("libx", "lib1"), 0);
  EXPECT_LT(LdCacheCompare("libfoo.so", "libfoo.so.1"), 0);
  EXPECT_GT(LdCacheCompare("libfoo.so.1", "libfoo.so"), 0);
  EXPECT_GT(LdCacheCompare("libfoo1", "libfoo"), 0);
  EXPECT_LT(LdCacheCompare("libfoo", "libfoo1"), 0);
  EXPECT_EQ(LdCacheCompare("", ""), 0);
}

}  // namespace
}  // namespace culprit::binfmt
