// One test for each way in which an ELF file can be broken. Each checks two things: no crash, hang or
// excessive memory (the sanitizer build watches), and an answer that says what is missing.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "binfmt/elf/elf.h"
#include "binfmt/elf/write.h"

namespace culprit::binfmt {
namespace {

ElfFile Read(const std::string& bytes) {
  const auto source = AsSource(bytes);
  const ElfFile elf = ReadElf(source);
  ReadElfWord(source, elf, "word");
  return elf;
}

ElfSpec Small(int bits = 64, bool big_endian = false) {
  return {.bits = bits,
          .big_endian = big_endian,
          .soname = "liba.so.1",
          .needed = {"libb.so", "libc.so.6"},
          .runpath = "$ORIGIN",
          .interpreter = "/lib/ld.so",
          .version_needs = {{"libc.so.6", {{"GLIBC_2.17"}, {"GLIBC_2.34"}}}, {"libb.so", {{"B_1"}}}},
          .version_defs = {"A_1", "A_2"},
          .build_id = "0123456789abcdef",
          .words = {{"word", 7}, {"other", 8}},
          .hash = ElfSpec::Hash::kBoth};
}

// 64-bit files in this machine's byte order, to be corrupted in place.
class Victim {
 public:
  explicit Victim(const ElfSpec& spec = Small()) : bytes(BuildElf(spec)) {}

  template <typename T>
  T Get(uint64_t offset) const {
    T record;
    std::memcpy(&record, bytes.data() + offset, sizeof record);
    return record;
  }
  template <typename T>
  void Put(uint64_t offset, const T& record) {
    std::memcpy(bytes.data() + offset, &record, sizeof record);
  }
  void Header(const std::function<void(Elf64_Ehdr&)>& change) { Change(0, change); }
  // The first program header of that type.
  void Segment(uint32_t type, const std::function<void(Elf64_Phdr&)>& change) {
    Change(SegmentAt(type), change);
  }
  void Dynamic(int64_t tag, const std::function<void(Elf64_Dyn&)>& change) { Change(TagAt(tag), change); }
  // Offset of the table that a tag points to; the writer puts tables at their own address.
  uint64_t Table(int64_t tag) const { return Get<Elf64_Dyn>(TagAt(tag)).d_un.d_ptr; }

  ElfFile Read() const { return binfmt::Read(bytes); }

  std::string bytes;

 private:
  template <typename T>
  void Change(uint64_t offset, const std::function<void(T&)>& change) {
    T record = Get<T>(offset);
    change(record);
    Put(offset, record);
  }
  uint64_t SegmentAt(uint32_t type) const {
    uint64_t at = sizeof(Elf64_Ehdr);
    while (Get<Elf64_Phdr>(at).p_type != type) at += sizeof(Elf64_Phdr);
    return at;
  }
  uint64_t TagAt(int64_t tag) const {
    uint64_t at = Get<Elf64_Phdr>(SegmentAt(PT_DYNAMIC)).p_offset;
    while (Get<Elf64_Dyn>(at).d_tag != tag) at += sizeof(Elf64_Dyn);
    return at;
  }
};

TEST(ElfDamage, CutAtEveryLength) {
  for (const int bits : {32, 64}) {
    for (const bool big_endian : {false, true}) {
      const std::string whole = BuildElf(Small(bits, big_endian));
      for (size_t length = 0; length < whole.size(); ++length) {
        const ElfFile elf = Read(whole.substr(0, length));
        EXPECT_TRUE(elf.problem != ElfProblem::kNone || !elf.complete()) << length;
      }
    }
  }
}

TEST(ElfDamage, EverySingleByteReplaced) {
  for (const int bits : {32, 64}) {
    for (const bool big_endian : {false, true}) {
      const std::string whole = BuildElf(Small(bits, big_endian));
      for (size_t at = 0; at < whole.size(); ++at) {
        for (const unsigned value : {0x00u, 0x01u, 0x7fu, 0x80u, 0xffu}) {
          std::string bytes = whole;
          bytes[at] = static_cast<char>(value);
          Read(bytes);
        }
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
        Read(bytes);
      }
    }
  }
}

TEST(ElfDamage, ProgramHeaderOffsetOverflows) {
  Victim file;
  file.Header([](auto& header) { header.e_phoff = ~uint64_t{0} - 8; });
  EXPECT_EQ(file.Read().problem, ElfProblem::kHeadersCut);
}

TEST(ElfDamage, MoreProgramHeadersThanFit) {
  Victim file;
  file.Header([](auto& header) { header.e_phnum = PN_XNUM; });
  EXPECT_EQ(file.Read().problem, ElfProblem::kHeadersCut);
  EXPECT_EQ(file.Read().phnum, 0xffff);
}

TEST(ElfDamage, NoProgramHeaders) {
  Victim file;
  file.Header([](auto& header) { header.e_phnum = 0; });
  EXPECT_EQ(file.Read().problem, ElfProblem::kNoDynamic);
}

TEST(ElfDamage, SegmentEndOverflows) {
  Victim file;
  file.Segment(PT_LOAD, [](auto& segment) { segment.p_filesz = ~uint64_t{0}; });
  file.Segment(PT_LOAD, [](auto& segment) { segment.p_offset = 16; });
  const ElfFile elf = file.Read();
  EXPECT_EQ(elf.needed_size, ~uint64_t{0});
  EXPECT_FALSE(elf.complete());
}

TEST(ElfDamage, DynamicSectionBeyondTheEnd) {
  Victim file;
  file.Segment(PT_DYNAMIC, [](auto& segment) { segment.p_vaddr = segment.p_offset = ~uint64_t{0} - 16; });
  EXPECT_EQ(file.Read().problem, ElfProblem::kDynamicCut);
  EXPECT_TRUE(file.Read().has_dynamic);
}

TEST(ElfDamage, DynamicSectionOutsideAllSegmentsIsTakenByItsOffset) {
  Victim file;
  file.Segment(PT_DYNAMIC, [](auto& segment) { segment.p_vaddr = 0x7000000; });
  EXPECT_EQ(file.Read().problem, ElfProblem::kNone);
  EXPECT_EQ(file.Read().soname, "liba.so.1");
}

TEST(ElfDamage, DynamicSectionWithoutEndMarkIsBoundedByTheFile) {
  Victim file;
  file.Segment(PT_DYNAMIC, [](auto& segment) { segment.p_filesz = ~uint64_t{0}; });
  file.Dynamic(DT_NULL, [](auto& entry) { entry.d_tag = DT_DEBUG; });
  const ElfFile elf = file.Read();
  EXPECT_EQ(elf.problem, ElfProblem::kDynamicCut);
  EXPECT_EQ(elf.soname, "liba.so.1");
}

TEST(ElfDamage, MillionsOfRequestsAreNotTaken) {
  Victim file;
  const uint64_t at = (file.bytes.size() + 15) / 16 * 16;
  file.bytes.resize(at + (32u << 20), '\0');
  const Elf64_Dyn strtab = {DT_STRTAB, {file.Table(DT_STRTAB)}};
  for (uint64_t i = at; i < file.bytes.size(); i += sizeof(Elf64_Dyn)) {
    file.Put(i, Elf64_Dyn{DT_NEEDED, {1}});
  }
  file.Put(at, strtab);
  file.Segment(PT_DYNAMIC, [&](auto& segment) {
    segment.p_vaddr = segment.p_offset = at;
    segment.p_filesz = 32u << 20;
  });
  const ElfFile elf = file.Read();
  EXPECT_EQ(elf.problem, ElfProblem::kDynamicCut);
  EXPECT_LE(elf.requests.size(), 65536u);
}

TEST(ElfDamage, LongStringNamedManyTimesDoesNotFillMemory) {
  ElfSpec spec;
  spec.needed.assign(20000, std::string(60000, 'x'));
  const ElfFile elf = Read(BuildElf(spec));
  EXPECT_EQ(elf.problem, ElfProblem::kDynamicCut);
  EXPECT_LT(elf.requests.size(), 200u);
}

TEST(ElfDamage, StringLongerThanAnyPath) {
  EXPECT_EQ(Read(BuildElf({.runpath = std::string(65000, 'x')})).problem, ElfProblem::kNone);
  const ElfFile elf = Read(BuildElf({.soname = "a", .runpath = std::string(70000, 'x')}));
  EXPECT_EQ(elf.problem, ElfProblem::kDynamicCut);
  EXPECT_EQ(elf.runpath, std::nullopt);
  EXPECT_EQ(elf.soname, "a");
}

TEST(ElfDamage, StringTableMissing) {
  Victim file;
  file.Dynamic(DT_STRTAB, [](auto& entry) { entry.d_tag = DT_DEBUG; });
  const ElfFile elf = file.Read();
  EXPECT_EQ(elf.problem, ElfProblem::kDynamicCut);
  EXPECT_TRUE(elf.requests.empty());
}

TEST(ElfDamage, StringTableSizeMissingOrWrongDoesNotMatterAsInLdSo) {
  Victim file;
  file.Dynamic(DT_STRSZ, [](auto& entry) { entry.d_un.d_val = 1; });
  EXPECT_EQ(file.Read().soname, "liba.so.1");
  file.Dynamic(DT_STRSZ, [](auto& entry) { entry.d_tag = DT_DEBUG; });
  EXPECT_EQ(file.Read().problem, ElfProblem::kNone);
  EXPECT_EQ(file.Read().soname, "liba.so.1");
}

TEST(ElfDamage, StringTableOutsideAllSegments) {
  Victim file;
  file.Dynamic(DT_STRTAB, [](auto& entry) { entry.d_un.d_ptr = 0x7000000; });
  EXPECT_EQ(file.Read().problem, ElfProblem::kDynamicCut);
}

TEST(ElfDamage, StringOffsetBeyondTheTableOverflows) {
  Victim file;
  file.Dynamic(DT_SONAME, [](auto& entry) { entry.d_un.d_val = ~uint64_t{0} - 4; });
  const ElfFile elf = file.Read();
  EXPECT_EQ(elf.problem, ElfProblem::kDynamicCut);
  EXPECT_EQ(elf.soname, std::nullopt);
  EXPECT_EQ(elf.requests.size(), 2u);
}

TEST(ElfDamage, StringWithoutEnd) {
  Victim file;
  // The second segment ends with the word "other": no NUL from here to the end of the file.
  file.Put(file.bytes.size() - 4, uint32_t{0x41414141});
  file.Dynamic(DT_STRTAB, [](auto& entry) { entry.d_un.d_ptr = 0; });
  file.Dynamic(DT_SONAME, [](auto& entry) { entry.d_un.d_val = 0; });
  const uint64_t at = file.bytes.size() - 4;
  file.Segment(PT_LOAD, [&](auto& segment) { segment.p_offset = at, segment.p_filesz = 4; });
  EXPECT_EQ(file.Read().soname, std::nullopt);
  EXPECT_EQ(file.Read().problem, ElfProblem::kDynamicCut);
}

TEST(ElfDamage, InterpreterWithoutEnd) {
  Victim file;
  file.Segment(PT_INTERP, [](auto& segment) { --segment.p_filesz; });
  EXPECT_EQ(file.Read().interpreter, std::nullopt);
  EXPECT_EQ(file.Read().problem, ElfProblem::kNone);
}

TEST(ElfDamage, InterpreterBeyondTheEnd) {
  Victim file;
  file.Segment(PT_INTERP, [](auto& segment) { segment.p_offset = ~uint64_t{0}; });
  EXPECT_EQ(file.Read().interpreter, std::nullopt);
}

TEST(ElfDamage, NoteSizesOverflow) {
  Victim file;
  const ElfFile sound = file.Read();
  EXPECT_EQ(sound.build_id, "0123456789abcdef");
  uint64_t note = 0;
  file.Segment(PT_NOTE, [&](auto& segment) { note = segment.p_offset, segment.p_filesz = ~uint64_t{0}; });
  EXPECT_EQ(file.Read().build_id, "0123456789abcdef");
  for (const uint64_t field : {note, note + 4}) {
    Victim broken = file;
    broken.Put(field, ~uint32_t{0});
    EXPECT_EQ(broken.Read().build_id, std::nullopt);
  }
}

TEST(ElfDamage, EndlessChainOfEmptyNotes) {
  Victim file;
  const uint64_t at = file.bytes.size();
  file.bytes.resize(at + (16u << 20), '\0');
  file.Segment(PT_NOTE, [&](auto& segment) { segment.p_offset = at, segment.p_filesz = 16u << 20; });
  EXPECT_EQ(file.Read().build_id, std::nullopt);
}

TEST(ElfDamage, NeededVersionsChainOntoThemselves) {
  Victim file;
  const uint64_t table = file.Table(DT_VERNEED);
  file.Put(table + 12, uint32_t{1});  // vn_next: one byte further, over and over
  const ElfFile elf = file.Read();
  EXPECT_EQ(elf.problem, ElfProblem::kDynamicCut);
  ASSERT_FALSE(elf.version_needs.empty());
  EXPECT_EQ(elf.version_needs[0].versions.size(), 2u);
}

TEST(ElfDamage, NeededVersionsChainBackwards) {
  Victim file;
  file.Put(file.Table(DT_VERNEED) + 12, uint32_t{0xfffffff0});  // vn_next = -16
  EXPECT_EQ(file.Read().problem, ElfProblem::kDynamicCut);
  Victim inner;
  inner.Put(inner.Table(DT_VERNEED) + 16 + 12, uint32_t{0xfffffff0});  // vna_next = -16
  EXPECT_EQ(inner.Read().problem, ElfProblem::kDynamicCut);
}

TEST(ElfDamage, NeededVersionsEndWhereNextIsZeroWhateverTheCountSays) {
  Victim file;
  file.Dynamic(DT_VERNEEDNUM, [](auto& entry) { entry.d_un.d_val = 1000000; });
  EXPECT_EQ(file.Read().version_needs.size(), 2u);
  EXPECT_EQ(file.Read().problem, ElfProblem::kNone);
  file.Put(file.Table(DT_VERNEED) + 12, uint32_t{0});
  EXPECT_EQ(file.Read().version_needs.size(), 1u);
}

TEST(ElfDamage, ManyOverlappingVersionRecordsAreNotAllTaken) {
  Victim file;
  const uint64_t at = file.bytes.size();
  file.bytes.resize(at + (8u << 20), '\0');
  for (uint64_t i = at; i < file.bytes.size(); i += 4) file.Put(i, uint32_t{4});
  file.Dynamic(DT_VERDEF, [](auto& entry) { entry.d_un.d_ptr = 0x7000000; });
  file.Segment(PT_NOTE, [&](auto& segment) {
    segment.p_type = PT_LOAD;
    segment.p_offset = at;
    segment.p_vaddr = 0x7000000;
    segment.p_filesz = 8u << 20;
  });
  const ElfFile elf = file.Read();
  EXPECT_EQ(elf.problem, ElfProblem::kDynamicCut);
  EXPECT_GT(elf.version_defs.size(), 60000u);
  EXPECT_LE(elf.version_defs.size(), 65536u);
}

TEST(ElfDamage, VersionTableOutsideAllSegments) {
  for (const int64_t tag : {DT_VERNEED, DT_VERDEF}) {
    Victim file;
    file.Dynamic(tag, [](auto& entry) { entry.d_un.d_ptr = 0x7000000; });
    EXPECT_EQ(file.Read().problem, ElfProblem::kDynamicCut);
    EXPECT_EQ(file.Read().soname, "liba.so.1");
  }
}

class ElfHashDamage : public ::testing::TestWithParam<int64_t> {
 protected:
  static Victim File() {
    ElfSpec spec = Small();
    spec.hash = GetParam() == DT_GNU_HASH ? ElfSpec::Hash::kGnu : ElfSpec::Hash::kSysv;
    return Victim(spec);
  }
  static std::optional<uint32_t> Word(const Victim& file) {
    const auto source = AsSource(file.bytes);
    return ReadElfWord(source, ReadElf(source), "word");
  }
};
INSTANTIATE_TEST_SUITE_P(Tables, ElfHashDamage, ::testing::Values(int64_t{DT_GNU_HASH}, int64_t{DT_HASH}),
                         [](const auto& tag) { return tag.param == DT_HASH ? "Sysv" : "Gnu"; });

TEST_P(ElfHashDamage, SoundTableFindsTheWord) { EXPECT_EQ(Word(File()), 7u); }

TEST_P(ElfHashDamage, NoBuckets) {
  Victim file = File();
  file.Put(file.Table(GetParam()), uint32_t{0});
  EXPECT_EQ(Word(file), std::nullopt);
}

TEST_P(ElfHashDamage, CountsOverflow) {
  for (uint64_t field = 0; field < 16; field += 4) {
    Victim file = File();
    file.Put(file.Table(GetParam()) + field, ~uint32_t{0});
    Word(file);
  }
}

TEST_P(ElfHashDamage, TableOutsideAllSegments) {
  Victim file = File();
  file.Dynamic(GetParam(), [](auto& entry) { entry.d_un.d_ptr = 0x7000000; });
  EXPECT_EQ(Word(file), std::nullopt);
}

TEST_P(ElfHashDamage, SymbolIsNoObjectOfFourBytes) {
  Victim file = File();
  const uint64_t symbol = file.Table(DT_SYMTAB) + sizeof(Elf64_Sym);
  for (const auto& change : std::initializer_list<std::function<void(Elf64_Sym&)>>{
           [](Elf64_Sym& s) { s.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC); },
           [](Elf64_Sym& s) { s.st_size = 8; }, [](Elf64_Sym& s) { s.st_shndx = SHN_UNDEF; },
           [](Elf64_Sym& s) { s.st_value = 0x7000000; }}) {
    Victim broken = file;
    auto record = broken.Get<Elf64_Sym>(symbol);
    change(record);
    broken.Put(symbol, record);
    EXPECT_EQ(Word(broken), std::nullopt);
  }
}

TEST(ElfDamage, SysvChainThatGoesRoundInCircles) {
  ElfSpec spec = Small();
  spec.hash = ElfSpec::Hash::kSysv;
  Victim file(spec);
  const uint64_t chain = file.Table(DT_HASH) + 12;
  file.Put(chain + 4, uint32_t{2});
  file.Put(chain + 8, uint32_t{1});
  const auto source = AsSource(file.bytes);
  EXPECT_EQ(ReadElfWord(source, ReadElf(source), "absent"), std::nullopt);
}

}  // namespace
}  // namespace culprit::binfmt
