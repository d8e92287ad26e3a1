// The reader of GPU code on valid files, one feature of the format at a time.
#include "binfmt/gpu/fatbin.h"

#include <gtest/gtest.h>

#include "base/words.h"
#include "binfmt/elf/elf.h"
#include "binfmt/elf/write.h"
#include "binfmt/gpu/fatbin_scan.h"
#include "binfmt/gpu/write_fatbin.h"

namespace culprit::binfmt {
namespace {

using namespace testing;
using Kind = GpuTarget::Kind;

GpuCode Read(const std::string& bytes, GpuScan scan = GpuScan::kWholeFile) {
  const base::MemorySource source = AsSource(bytes);
  return ReadGpuCode(source, ReadElf(source), scan);
}

// "sm_80:2 compute_80:1"
std::string Show(const GpuTotals& totals) {
  std::string text;
  for (const auto& [target, count] : totals) {
    text += (text.empty() ? "" : " ") + target.Name() + ":" + std::to_string(count);
  }
  return text;
}
std::string Listed(const GpuCode& code) { return Show(Totals(code, GpuPart::kListed)); }
std::string Elsewhere(const GpuCode& code) { return Show(Totals(code, GpuPart::kElsewhere)); }

std::string Simple(uint32_t arch) { return BuildFatbin({.entries = {{.arch = arch}}}); }

TEST(Fatbin, ReadsTheFileThatNvccFatbinWrites) {
  const GpuCode code = Read(BuildFatbin({.entries = {{.kind = 1, .arch = 90, .major = 8, .minor = 4},
                                                     {.kind = 2, .arch = 90},
                                                     {.kind = 8, .arch = 90, .major = 1, .minor = 65}}}));
  EXPECT_EQ(code.form, GpuCode::Form::kFatbin);
  EXPECT_TRUE(code.complete) << code.problem;
  EXPECT_TRUE(code.whole_file);
  ASSERT_EQ(code.containers.size(), 1u);
  EXPECT_EQ(code.containers[0].count, 1u);
  EXPECT_EQ(
      code.containers[0].targets,
      (std::vector<GpuTarget>{{Kind::kSass, 90}, {Kind::kPtx, 90, 0, 8, 4}, {Kind::kLtoIr, 90, 0, 1, 65}}));
  EXPECT_EQ(Listed(code), "sm_90:1 compute_90:1 lto_90:1");
}

TEST(Fatbin, NamesSuffixes) {
  const GpuCode code = Read(BuildFatbin({.entries = {{.arch = 90, .flags = kArchSpecific},
                                                     {.arch = 100, .flags = kFamilySpecific | 0x1000000},
                                                     {.arch = 100, .flags = 0x1000000},
                                                     {.kind = 1, .arch = 120, .flags = kFamilySpecific},
                                                     {.kind = 1, .arch = 90, .flags = kArchSpecific},
                                                     {.kind = 64, .arch = 75}}}));
  EXPECT_EQ(Listed(code), "sm_90a:1 sm_100:1 sm_100f:1 compute_90a:1 compute_120f:1 other_75:1");
}

TEST(Fatbin, CompressionDoesNotMatter) {
  for (const uint64_t flags : {uint64_t{0}, kLz4, kZstd}) {
    EXPECT_EQ(Listed(Read(BuildFatbin({.entries = {{.flags = flags, .code = "123"}, {.arch = 75}}}))),
              "sm_75:1 sm_80:1");
  }
}

TEST(Fatbin, TakesEveryHeaderSize) {
  for (uint32_t size = 64; size <= 256; size += 8) {
    const GpuCode code = Read(BuildFatbin({.entries = {{.header_size = size}, {.arch = 86}}}));
    EXPECT_TRUE(code.complete) << size;
    EXPECT_EQ(Listed(code), "sm_80:1 sm_86:1") << size;
  }
}

TEST(Fatbin, AnEmptyContainerIsSound) {
  const GpuCode code = Read(BuildFatbin({}));
  EXPECT_TRUE(code.complete);
  ASSERT_EQ(code.containers.size(), 1u);
  EXPECT_TRUE(code.containers[0].targets.empty());
}

TEST(Fatbin, CountsContainersWithTheSameTargetsTogether) {
  std::string bytes;
  for (int i = 0; i < 5; ++i) bytes += Simple(80) + std::string(8 * static_cast<size_t>(i), '\0');
  bytes += Simple(90) + Simple(80);
  const GpuCode code = Read(BuildSections({.sections = {{".nv_fatbin", bytes}}}));
  ASSERT_EQ(code.containers.size(), 2u);
  EXPECT_EQ(code.containers[0],
            (GpuCode::Containers{.section = ".nv_fatbin", .targets = {{Kind::kSass, 80}}, .count = 6}));
  EXPECT_EQ(code.containers[1].count, 1u);
}

TEST(Fatbin, FindsContainersBehindAnyPadding) {
  for (const size_t padding :
       std::initializer_list<size_t>{0, 1, 7, 15, 16, 63, 64, 65, 255, 496, 500, 511, 512, 4096, 300'000}) {
    const std::string gap(padding, '\0');
    const GpuCode code =
        Read(BuildSections({.sections = {{".nv_fatbin", gap + Simple(80) + gap + Simple(90) + gap}}}),
             GpuScan::kFatbinSections);
    EXPECT_TRUE(code.complete) << padding;
    EXPECT_EQ(Listed(code), "sm_80:1 sm_90:1") << padding;
  }
}

TEST(Fatbin, CodeIsNotSearchedForContainers) {
  const GpuCode code = Read(BuildFatbin({.entries = {{.code = Simple(90)}}}));
  EXPECT_EQ(Listed(code), "sm_80:1");
}

TEST(Fatbin, ReadsEveryElfClassAndByteOrder) {
  for (const int bits : {32, 64}) {
    for (const bool big_endian : {false, true}) {
      for (const bool moved : {false, true}) {
        const GpuCode code = Read(BuildSections({.sections = {{".text", "x"}, {".nv_fatbin", Simple(80)}},
                                                 .bits = bits,
                                                 .big_endian = big_endian,
                                                 .numbers_in_first_section = moved}));
        EXPECT_EQ(code.form, GpuCode::Form::kElf);
        EXPECT_TRUE(code.complete) << code.problem;
        EXPECT_EQ(Listed(code), "sm_80:1") << bits << big_endian << moved;
      }
    }
  }
}

TEST(Fatbin, TellsListedFromRelocatableAndElsewhere) {
  const SectionSpec linked{".nv_fatbin", Simple(80)}, relocatable{"__nv_relfatbin", Simple(86)},
      data{".data", "1234567" + Simple(90)}, own{".cask_resource", std::string(100, 'x') + Simple(100)};
  const GpuCode code = Read(BuildSections({.sections = {relocatable, linked, data, own}}));
  EXPECT_EQ(Listed(code), "sm_80:1");
  EXPECT_EQ(Show(Totals(code, GpuPart::kRelocatable)), "sm_86:1");
  EXPECT_EQ(Elsewhere(code), "sm_90:1 sm_100:1");
  EXPECT_EQ(Show(TotalsOfSection(code, ".data")), "sm_90:1");

  EXPECT_EQ(Listed(Read(BuildSections({.sections = {relocatable, data}}))), "sm_86:1");
}

TEST(Fatbin, LooksAtWhatTheScanAsksFor) {
  const std::string plain = BuildSections({.sections = {{".data", Simple(90)}}});
  const std::string cuda = BuildSections({.sections = {{".nv_fatbin", Simple(80)}, {".data", Simple(90)}}});
  EXPECT_EQ(Elsewhere(Read(plain, GpuScan::kWholeFile)), "sm_90:1");
  EXPECT_EQ(Elsewhere(Read(plain, GpuScan::kCudaFiles)), "");
  EXPECT_FALSE(Read(plain, GpuScan::kCudaFiles).whole_file);
  EXPECT_EQ(Elsewhere(Read(cuda, GpuScan::kCudaFiles)), "sm_90:1");
  EXPECT_TRUE(Read(cuda, GpuScan::kCudaFiles).whole_file);
  EXPECT_EQ(Elsewhere(Read(cuda, GpuScan::kFatbinSections)), "");
  EXPECT_FALSE(Read(cuda, GpuScan::kFatbinSections).whole_file);
}

TEST(Fatbin, AFileThatNeedsCudaIsSearched) {
  // BuildElf makes no sections and BuildSections no dynamic section, so the result of ReadElf is made by
  // hand.
  const std::string bytes = BuildSections({.sections = {{".data", Simple(90)}}});
  const base::MemorySource source = AsSource(bytes);
  for (const char* name : {"libcudart.so.12", "libcuda.so.1", "libnvrtc.so.13"}) {
    ElfFile elf = ReadElf(source);
    elf.requests = {{ElfRequest::Kind::kNeeded, name}};
    EXPECT_EQ(Elsewhere(ReadGpuCode(source, elf, GpuScan::kCudaFiles)), "sm_90:1") << name;
    elf.requests.clear();
    elf.soname = name;
    EXPECT_EQ(Elsewhere(ReadGpuCode(source, elf, GpuScan::kCudaFiles)), "sm_90:1") << name;
    elf.soname = "libcurl.so.4";
    EXPECT_EQ(Elsewhere(ReadGpuCode(source, elf, GpuScan::kCudaFiles)), "");
  }
}

TEST(Fatbin, CodeOfTheCpuDebugInformationAndTablesAreNotSearched) {
  const std::string bytes = Simple(80);
  const GpuCode code = Read(BuildSections({.sections = {{".text", bytes, 1, 6},
                                                        {".debug_info", bytes},
                                                        {".eh_frame", bytes},
                                                        {".symtab", bytes, 2},
                                                        {".zdata", bytes, 1, 0x802},
                                                        {".bss", "", 8}}}));
  EXPECT_TRUE(code.containers.empty());
  EXPECT_TRUE(code.complete);
}

TEST(Fatbin, AFileWithoutSectionsIsSearchedOnlyWhenAskedTo) {
  const std::string bytes = BuildElf({.soname = "libx.so"}) + Simple(80);
  EXPECT_EQ(Listed(Read(bytes, GpuScan::kWholeFile)), "sm_80:1");
  const GpuCode quick = Read(bytes, GpuScan::kFatbinSections);
  EXPECT_EQ(quick.form, GpuCode::Form::kElf);
  EXPECT_FALSE(quick.complete);
  EXPECT_EQ(quick.problem, "no section headers, so GPU code cannot be located");
  EXPECT_EQ(Listed(Read(bytes, GpuScan::kCudaFiles)), "sm_80:1");
}

TEST(Fatbin, OtherFilesAreNoGpuBinaries) {
  for (const std::string& bytes :
       {std::string(), std::string("\x50\xED\x55"), std::string(5000, 'x'), "!<arch>\n" + Simple(80)}) {
    const GpuCode code = Read(bytes);
    EXPECT_EQ(code.form, GpuCode::Form::kNotGpu);
    EXPECT_TRUE(code.complete);
    EXPECT_TRUE(code.containers.empty());
  }
}

TEST(Fatbin, ReadsTheArchitectureOfACubin) {
  const auto cubin = [](uint32_t flags, uint8_t abi, const std::string& compat, uint32_t version = 1) {
    const GpuCode code = Read(BuildSections({.sections = {{".nv.compat", compat, 0x70000086}},
                                             .machine = 190,
                                             .flags = flags,
                                             .abi_version = abi,
                                             .version = version}),
                              GpuScan::kFatbinSections);
    EXPECT_EQ(code.form, GpuCode::Form::kCubin);
    return Listed(code);
  };
  // Flags as ptxas 12.4 and 13.0 write them.
  EXPECT_EQ(cubin(0x500550, 7, "", 124), "sm_80:1");
  EXPECT_EQ(cubin(0x5a055a, 7, "", 124), "sm_90:1");
  EXPECT_EQ(cubin(0x5a0d5a, 7, "", 124), "sm_90a:1");
  EXPECT_EQ(cubin(0x6006402, 8, std::string("\x02\x09\x00\x00", 4)), "sm_100:1");
  EXPECT_EQ(cubin(0x6006402, 8, std::string("\x02\x09\x01\x00", 4)), "sm_100a:1");
  EXPECT_EQ(cubin(0x6006402, 8, std::string("\x04\x0b\x02\x00zz\x02\x09\x01\x00", 10)), "sm_100a:1");
  EXPECT_EQ(cubin(0x6006402, 8, std::string("\x04\x0b\xff\xff", 4)), "sm_100:1");
  EXPECT_EQ(cubin(0x6005004, 8, ""), "sm_80:1");
}

TEST(Fatbin, FormsAndKindsHaveTheirWords) {
  EXPECT_EQ(base::Word(GpuCode::Form::kCubin), "cubin");
  EXPECT_EQ(base::Word(Kind::kOther), "other");
}

TEST(FatbinMagic, IsFoundAtEveryOffset) {
  const std::string magic = "\x50\xED\x55\xBA";
  for (size_t length = 0; length < 200; ++length) {
    for (size_t at = 0; at + 4 <= length; ++at) {
      std::string bytes(length, '\x50');
      bytes.replace(at, 4, magic);
      ASSERT_EQ(FindFatbinMagic(std::as_bytes(std::span(bytes))), at) << length;
    }
    // Its first three bytes at the end do not count.
    std::string bytes(length, '\xED');
    if (length >= 3) bytes.replace(length - 3, 3, magic.substr(0, 3));
    ASSERT_EQ(FindFatbinMagic(std::as_bytes(std::span(bytes))), length);
  }
}

}  // namespace
}  // namespace culprit::binfmt
