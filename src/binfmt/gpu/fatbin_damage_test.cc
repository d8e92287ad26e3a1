// Corrupt and hostile GPU code: one test for each way. Valid parts before and after the damage are read, the
// rest is reported, and nothing costs more time or memory than a large real file.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "binfmt/elf/elf.h"
#include "binfmt/elf/write.h"
#include "binfmt/gpu/fatbin.h"
#include "binfmt/gpu/write_fatbin.h"

namespace culprit::binfmt {
namespace {

using namespace testing;

GpuCode ReadDamaged(const std::string& bytes, GpuScan scan = GpuScan::kWholeFile) {
  const base::MemorySource source = AsSource(bytes);
  return ReadGpuCode(source, ReadElf(source), scan);
}

uint64_t CountOf(const GpuCode& code, uint32_t arch) {
  uint64_t count = 0;
  for (const auto& [target, times] : Totals(code, GpuPart::kListed)) count += target.arch == arch ? times : 0;
  return count;
}

// The corrupt container between two valid ones, in .nv_fatbin.
GpuCode ReadBetween(const FatbinSpec& damaged) {
  const std::string before = BuildFatbin({.entries = {{.arch = 75}}});
  const std::string after = BuildFatbin({.entries = {{.arch = 90}}});
  return ReadDamaged(BuildSections(
      {.sections = {{".nv_fatbin", before + BuildFatbin(damaged) + std::string(256, '\0') + after}}}));
}

void ExpectDamage(const FatbinSpec& damaged, const std::string& problem) {
  const GpuCode code = ReadBetween(damaged);
  EXPECT_FALSE(code.complete);
  EXPECT_TRUE(code.problem.ends_with(problem)) << code.problem;
  EXPECT_EQ(CountOf(code, 75), 1u);
  EXPECT_EQ(CountOf(code, 90), 1u);
}

TEST(FatbinDamage, UnknownVersion) {
  ExpectDamage({.entries = {{}}, .version = 2}, "unknown version");
  ExpectDamage({.entries = {{}}, .header_size = 24}, "unknown version");
}

TEST(FatbinDamage, EntryHeaderSizeIsZeroOrSmall) {
  for (const uint32_t size : {0u, 1u, 16u, 63u}) {
    ExpectDamage({.entries = {{.claimed_header_size = size}}}, "an entry with an impossible size");
  }
}

TEST(FatbinDamage, EntryIsLargerThanItsContainer) {
  for (const uint64_t size : {uint64_t{1000}, ~uint64_t{0}, ~uint64_t{0} - 63, uint64_t{1} << 63}) {
    ExpectDamage({.entries = {{.claimed_code_size = size}}}, "an entry with an impossible size");
  }
  ExpectDamage({.entries = {{.claimed_header_size = ~0u}}}, "an entry with an impossible size");
}

TEST(FatbinDamage, SoundEntriesBeforeADamagedOneCount) {
  const GpuCode code = ReadBetween({.entries = {{.arch = 80}, {.arch = 86, .claimed_header_size = 0}}});
  EXPECT_EQ(CountOf(code, 80), 1u);
  EXPECT_EQ(CountOf(code, 86), 0u);
}

TEST(FatbinDamage, ContainerIsShorterThanItsEntry) {
  for (const uint64_t size : std::initializer_list<uint64_t>{1, 8, 63}) {
    ExpectDamage({.entries = {{}}, .claimed_size = size}, "an entry is truncated");
  }
}

TEST(FatbinDamage, ContainerIsLargerThanItsSection) {
  for (const uint64_t size : {uint64_t{100'000}, ~uint64_t{0}, ~uint64_t{0} - 16, uint64_t{1} << 63}) {
    ExpectDamage({.entries = {{.arch = 80}}, .claimed_size = size}, "extends beyond its section or the file");
  }
}

TEST(FatbinDamage, EveryTruncationOfAFatbinIsRead) {
  const std::string whole =
      BuildFatbin({.entries = {{.arch = 80}, {.kind = 1, .arch = 90, .header_size = 80}}});
  for (size_t size = 4; size < whole.size(); ++size) {
    const GpuCode code = ReadDamaged(whole.substr(0, size));
    EXPECT_EQ(code.form, GpuCode::Form::kFatbin);
    EXPECT_FALSE(code.complete) << size;
    EXPECT_LE(CountOf(code, 90), 1u);
  }
}

TEST(FatbinDamage, EveryTruncationOfAnElfFileIsRead) {
  const std::string whole = BuildSections({.sections = {{".nv_fatbin", BuildFatbin({.entries = {{}, {}}})}}});
  for (size_t size = 0; size < whole.size(); ++size) ReadDamaged(whole.substr(0, size));
  EXPECT_EQ(CountOf(ReadDamaged(whole), 80), 2u);
}

TEST(FatbinDamage, SectionBeyondTheFile) {
  const GpuCode code = ReadDamaged(BuildSections(
      {.sections = {
           {.name = ".nv_fatbin", .bytes = BuildFatbin({.entries = {{}}}), .claimed_size = 1u << 30}}}));
  EXPECT_FALSE(code.complete);
  EXPECT_EQ(code.problem, "the file is truncated");
  EXPECT_EQ(CountOf(code, 80), 1u);
  const GpuCode outside = ReadDamaged(BuildSections(
      {.sections = {{.name = ".nv_fatbin", .bytes = "x", .claimed_offset = ~uint64_t{0} - 5}}}));
  EXPECT_FALSE(outside.complete);
}

TEST(FatbinDamage, OverlappingSectionsAreReadOnce) {
  std::vector<SectionSpec> sections = {{".nv_fatbin", BuildFatbin({.entries = {{}}})}};
  for (int i = 0; i < 50; ++i) {
    sections.push_back({.name = ".nv_fatbin", .bytes = "", .claimed_offset = 64, .claimed_size = 96});
  }
  EXPECT_EQ(CountOf(ReadDamaged(BuildSections({.sections = sections})), 80), 1u);
}

TEST(FatbinDamage, SectionTableThatLies) {
  std::string bytes = BuildSections({.sections = {{".nv_fatbin", BuildFatbin({.entries = {{}}})}}});
  bytes[60] = '\xff';  // e_shnum
  bytes[61] = '\xff';
  const GpuCode code = ReadDamaged(bytes, GpuScan::kFatbinSections);
  EXPECT_FALSE(code.complete);
  EXPECT_EQ(code.problem, "the section headers are damaged, so GPU code cannot be located");
  const GpuCode whole = ReadDamaged(bytes);  // needs no table, but cannot promise that this is everything
  EXPECT_EQ(CountOf(whole, 80), 1u);
  EXPECT_FALSE(whole.complete);
}

// Bytes computed by a rule, any number of them.
class RuleSource final : public base::ByteSource {
 public:
  RuleSource(uint64_t size, std::string start, std::string repeated)
      : size_(size), start_(std::move(start)), repeated_(std::move(repeated)) {}
  uint64_t size() const override { return size_; }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    ++reads;
    if (offset >= size_) return size_t{0};
    const size_t n = static_cast<size_t>(std::min<uint64_t>(out.size(), size_ - offset));
    read += n;
    if (offset >= start_.size() && repeated_.empty()) {
      std::memset(out.data(), 0, n);
      return n;
    }
    for (size_t i = 0; i < n; ++i) {
      const uint64_t at = offset + i;
      out[i] =
          static_cast<std::byte>(at < start_.size()  ? start_[static_cast<size_t>(at)]
                                 : repeated_.empty() ? '\0'
                                                     : repeated_[(at - start_.size()) % repeated_.size()]);
    }
    return n;
  }
  mutable uint64_t reads = 0, read = 0;

 private:
  uint64_t size_;
  std::string start_, repeated_;
};

constexpr uint64_t kHuge = 100'000'000'000;
// A 64th of the real ones, so that a sanitizer build finishes soon too.
constexpr GpuCodeLimits kSmallLimits{.headers = 1 << 14, .searched = 32 << 20, .kept_targets = 1 << 10};

TEST(FatbinDamage, RealLimitsAreWhatASecondAndAFewMegabytesAllow) {
  constexpr GpuCodeLimits kReal;
  EXPECT_LE(kReal.headers, 1u << 20);
  EXPECT_LE(kReal.searched, 2u << 30);
  EXPECT_LE(kReal.kept_targets, 1u << 16);
}

TEST(FatbinDamage, AHugeSparseFileEndsSoon) {
  const RuleSource source(kHuge, BuildFatbin({.entries = {{}}}), "");
  const GpuCode code = ReadGpuCode(source, ReadElf(source), GpuScan::kWholeFile, kSmallLimits);
  EXPECT_FALSE(code.complete);
  EXPECT_EQ(code.problem, "too much data to search for GPU code");
  EXPECT_LT(source.read, 40'000'000u);
  EXPECT_EQ(CountOf(code, 80), 1u);
}

TEST(FatbinDamage, ACodeOfManyGigabytesIsSteppedOver) {
  const uint64_t size = kHuge - 16 - 64;
  const RuleSource source(
      kHuge, BuildFatbin({.entries = {{.code = "", .claimed_code_size = size}}, .claimed_size = kHuge - 16}),
      "");
  const GpuCode code = ReadGpuCode(source, ReadElf(source), GpuScan::kWholeFile);
  EXPECT_TRUE(code.complete) << code.problem;
  EXPECT_EQ(CountOf(code, 80), 1u);
  EXPECT_LT(source.reads, 20u);
}

TEST(FatbinDamage, EndlessHeadersEndSoon) {
  const std::string container = BuildFatbin({.entries = {{}}});
  const std::string entry = container.substr(16);
  const std::string huge_container = BuildFatbin({.claimed_size = kHuge - 16});
  const std::pair<std::string, std::string> cases[] = {
      {container, container},                                 // endless containers
      {huge_container, entry},                                // endless entries
      {container, BuildFatbin({})},                           // empty containers
      {container, BuildFatbin({.version = 9}).substr(0, 4)},  // only the magic number
      {container, BuildFatbin({.entries = {{.arch = 1, .claimed_header_size = 0}}})},  // corrupt ones
  };
  for (const auto& [start, repeated] : cases) {
    const RuleSource source(kHuge, start, repeated);
    const GpuCode code = ReadGpuCode(source, ReadElf(source), GpuScan::kWholeFile, kSmallLimits);
    EXPECT_FALSE(code.complete);
    EXPECT_LT(source.read, 20'000'000u);
    EXPECT_LE(code.containers.size(), 3u);
  }
}

TEST(FatbinDamage, ContainersThatAreAllDifferentTakeLittleMemory) {
  std::string bytes;
  for (uint32_t arch = 0; arch < 2'000; ++arch)
    bytes += BuildFatbin({.entries = {{.arch = arch, .code = ""}}});
  const base::MemorySource source = AsSource(bytes);
  const GpuCode code = ReadGpuCode(source, ReadElf(source), GpuScan::kWholeFile, kSmallLimits);
  EXPECT_FALSE(code.complete);
  EXPECT_EQ(code.problem, "too many kinds of GPU code for a real file");
  EXPECT_LE(code.containers.size(), kSmallLimits.kept_targets);
}

TEST(FatbinDamage, AReadThatFailsIsTold) {
  class FailingSource final : public base::ByteSource {
   public:
    explicit FailingSource(std::string bytes) : bytes_(std::move(bytes)) {}
    uint64_t size() const override { return bytes_.size(); }
    base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
      if (++reads > 1) return base::Fail(base::ErrorCode::kNotReadable, "disk on fire");
      return AsSource(bytes_).ReadAt(offset, out);
    }
    mutable int reads = 0;

   private:
    std::string bytes_;
  };
  const std::string bytes = BuildFatbin({.entries = {{}}});
  const ElfFile elf = ReadElf(AsSource(bytes));
  const GpuCode code = ReadGpuCode(FailingSource(bytes), elf, GpuScan::kWholeFile);
  EXPECT_FALSE(code.complete);
  EXPECT_EQ(code.problem, "reading failed: disk on fire");
}

}  // namespace
}  // namespace culprit::binfmt
