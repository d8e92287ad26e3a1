// One test for each way in which a PE file can be broken. Each checks two things: no crash, hang or excessive
// memory (the sanitizer build watches), and an answer that says what is missing.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "binfmt/elf/write.h"
#include "binfmt/pe/image.h"
#include "binfmt/pe/pe.h"
#include "binfmt/pe/write.h"

namespace culprit::binfmt {
namespace {

struct AllOfPe {
  PeFile pe;
  PeExports exports;
};

AllOfPe ReadAll(const base::ByteSource& source) {
  AllOfPe all;
  all.pe = ReadPe(source);
  all.exports = ReadPeExports(source, all.pe);
  ReadPeWord(source, all.pe, "word");
  return all;
}
AllOfPe ReadAll(const std::string& bytes) { return ReadAll(AsSource(bytes)); }

PeSpec Small(int bits = 64) {
  return {.bits = bits,
          .name = "self.dll",
          .imports = {{"a.dll", {"One", "Two"}, {3}}, {"b.dll", {"Three"}}},
          .delay_imports = {{"c.dll", {"Four"}}},
          .bound_imports = {"a.dll"},
          .exports = {"Go", "Run"},
          .forwarders = {{"Away", "OTHER.Function"}},
          .words = {{"word", 7}},
          .nameless = 1,
          .version = PeVersionInfo{"1.2.3.4", "5.6.7.8", {{"ProductName", "Small"}}},
          .manifest = "<dependentAssembly><assemblyIdentity name='x'/></dependentAssembly>",
          .certificate_size = 8};
}

// 64-bit files, to be corrupted in place.
class Victim {
 public:
  explicit Victim(const PeSpec& spec = Small()) : bytes(BuildPe(spec)) {}

  uint32_t Get(size_t offset) const {
    uint32_t word;
    std::memcpy(&word, bytes.data() + offset, sizeof word);
    return word;
  }
  void Put(size_t offset, uint32_t word) { std::memcpy(bytes.data() + offset, &word, sizeof word); }
  void PutHalf(size_t offset, uint16_t word) { std::memcpy(bytes.data() + offset, &word, sizeof word); }

  static constexpr size_t kFileHeader = 68, kOptionalHeader = kFileHeader + 20;
  static constexpr size_t kDirectories = kOptionalHeader + 112, kSections = kDirectories + 128;
  // Where a directory's RVA is stored, and the file offset it points to.
  static size_t Directory(PeDirectory directory) { return kDirectories + 8 * static_cast<size_t>(directory); }
  size_t Table(PeDirectory directory) const { return OffsetOf(Get(Directory(directory))); }
  size_t OffsetOf(uint32_t rva) const {
    for (const PeSection& section : ReadPe(AsSource(bytes)).sections) {
      if (rva >= section.address && rva - section.address < section.raw_size) {
        return section.offset + (rva - section.address);
      }
    }
    return rva;
  }

  AllOfPe ReadAll() const { return binfmt::ReadAll(bytes); }

  std::string bytes;
};

TEST(PeDamage, CutAtEveryLength) {
  for (const int bits : {32, 64}) {
    const std::string whole = BuildPe(Small(bits));
    const PeFile sound = ReadAll(whole).pe;
    ASSERT_EQ(sound.problem, PeProblem::kNone);
    for (size_t length = 0; length < whole.size(); ++length) {
      const PeFile pe = ReadAll(whole.substr(0, length)).pe;
      EXPECT_EQ(pe.file_size, length);
      if (length >= sound.needed_size) {
        EXPECT_EQ(pe.problem, PeProblem::kNone) << length;  // only the certificate is truncated
        EXPECT_EQ(pe.imports, sound.imports);
      } else {
        EXPECT_NE(pe.problem, PeProblem::kNone) << length;
      }
      if (length >= 1024 && length < sound.needed_size) {
        EXPECT_EQ(pe.problem, PeProblem::kSectionsCut) << length;
        EXPECT_EQ(pe.needed_size, sound.needed_size);
      }
    }
  }
}

TEST(PeDamage, EveryByteFlipped) {
  for (const int bits : {32, 64}) {
    std::string bytes = BuildPe(Small(bits));
    for (size_t at = 0; at < bytes.size(); ++at) {
      for (const int mask : {0x01, 0xFF}) {
        bytes[at] = static_cast<char>(bytes[at] ^ mask);
        ReadAll(bytes);
        bytes[at] = static_cast<char>(bytes[at] ^ mask);
      }
    }
  }
}

TEST(PeDamage, EveryWordHuge) {
  std::string bytes = BuildPe(Small());
  for (size_t at = 0; at + 4 <= bytes.size(); at += 2) {
    for (const uint32_t word : {~0u, 0x7FFFFFFFu, 0x80000000u, 0x00001000u}) {
      const std::string before = bytes.substr(at, 4);
      std::memcpy(bytes.data() + at, &word, 4);
      ReadAll(bytes);
      bytes.replace(at, 4, before);
    }
  }
}

TEST(PeDamage, ManyRandomBytes) {
  const std::string whole = BuildPe(Small());
  std::mt19937 random(5);  // NOLINT: the same bytes each time
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 8; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    ReadAll(bytes);
  }
}

TEST(PeDamage, HeaderBeyondTheFile) {
  Victim victim;
  victim.Put(60, 0xFFFFFFF0);
  EXPECT_EQ(victim.ReadAll().pe.problem, PeProblem::kHeadersCut);
  victim.Put(60, static_cast<uint32_t>(victim.bytes.size() - 4));
  EXPECT_EQ(victim.ReadAll().pe.problem, PeProblem::kNotPe);
}

TEST(PeDamage, SectionTableBeyondTheFile) {
  Victim victim;
  victim.PutHalf(Victim::kFileHeader + 2, 1000);
  EXPECT_EQ(victim.ReadAll().pe.problem, PeProblem::kHeadersCut);
  victim.bytes.resize(3 << 20);
  victim.PutHalf(Victim::kFileHeader + 2, 65535);
  const PeFile pe = victim.ReadAll().pe;
  EXPECT_EQ(pe.problem, PeProblem::kBadHeader);
  EXPECT_EQ(pe.sections.size(), kMaxPeSections);
}

TEST(PeDamage, SectionThatEndsBeyondFourGigabytes) {
  Victim victim;
  victim.Put(Victim::kSections + 16, ~0u);  // raw size of the first
  victim.Put(Victim::kSections + 20, ~0u);  // its offset
  const PeFile pe = victim.ReadAll().pe;
  EXPECT_EQ(pe.problem, PeProblem::kSectionsCut);
  EXPECT_EQ(pe.needed_size, 0x1FFFFFFFEu);
}

TEST(PeDamage, ImportTableThatNeverEnds) {
  // 4096 and more identical descriptors.
  Victim victim({.imports = {{"a.dll", {"One"}}}, .sections = {{".more", std::string(200'000, '\0')}}});
  const std::string descriptor = victim.bytes.substr(victim.Table(PeDirectory::kImports), 20);
  const PeSection more = victim.ReadAll().pe.sections.back();
  for (size_t i = 0; i < 10'000; ++i) victim.bytes.replace(more.offset + i * 20, 20, descriptor);
  victim.Put(Victim::Directory(PeDirectory::kImports), more.address);
  const PeFile pe = victim.ReadAll().pe;
  EXPECT_EQ(pe.problem, PeProblem::kImportsCut);
  EXPECT_LE(pe.imports.size(), kMaxPeImportDlls + 1);
}

TEST(PeDamage, FunctionListsThatShareOneLongTable) {
  // Each of many DLLs claims the same 100,000 ordinals.
  std::string ordinals;
  for (int i = 0; i < 100'000; ++i) ordinals += std::string("\1\0\0\0\0\0\0\x80", 8);
  Victim victim(
      {.imports = {{"a.dll", {}, {1}}},
       .sections = {{".more", std::string(40'000, '\0')}, {".ords", ordinals + std::string(8, '\0')}}});
  const PeFile before = victim.ReadAll().pe;
  std::string descriptor = victim.bytes.substr(victim.Table(PeDirectory::kImports), 20);
  const PeSection more = before.sections[before.sections.size() - 2], list = before.sections.back();
  std::memcpy(descriptor.data(), &list.address, 4);
  for (size_t i = 0; i < 1'000; ++i) victim.bytes.replace(more.offset + i * 20, 20, descriptor);
  victim.Put(Victim::Directory(PeDirectory::kImports), more.address);
  const PeFile pe = victim.ReadAll().pe;
  EXPECT_EQ(pe.problem, PeProblem::kImportsCut);
  size_t functions = 0;
  for (const PeImport& import : pe.imports) functions += import.ordinals.size();
  EXPECT_LE(functions, victim.bytes.size() / 4);  // each has its own word in a real file
}

TEST(PeDamage, NameOfADllOutsideTheImage) {
  Victim victim;
  const size_t table = victim.Table(PeDirectory::kImports);
  victim.Put(table + 20 + 12, 0x00F00000);  // of the second
  const PeFile pe = victim.ReadAll().pe;
  EXPECT_EQ(pe.problem, PeProblem::kImportsCut);
  ASSERT_EQ(pe.imports.size(), 1u);  // those before it are kept
  EXPECT_EQ(pe.imports[0].dll, "a.dll");
}

TEST(PeDamage, DelayImportsThatAreDamagedDoNotConcernTheLoader) {
  Victim victim;
  victim.Put(victim.Table(PeDirectory::kDelayImports) + 4, 0x00F00000);
  const PeFile pe = victim.ReadAll().pe;
  EXPECT_EQ(pe.problem, PeProblem::kNone);
  EXPECT_EQ(pe.imports.size(), 2u);
  EXPECT_TRUE(pe.delay_imports.empty());
}

TEST(PeDamage, ExportTableWithHugeCounts) {
  Victim victim;
  const size_t head = victim.Table(PeDirectory::kExports);
  victim.Put(head + 20, ~0u);
  victim.Put(head + 24, ~0u);
  const AllOfPe all = victim.ReadAll();
  EXPECT_EQ(all.pe.problem, PeProblem::kNone);
  EXPECT_TRUE(all.exports.cut);
  EXPECT_LE(all.exports.names.size(), kMaxPeExports);
}

TEST(PeDamage, ExportNamesInZerosThatAreNotInTheFile) {
  // Tables of a million zeros: each is the name at address 0, "MZ", of function 0.
  Victim victim({.exports = {"a"}, .sections = {{".zeros", "x"}}});
  const PeSection zeros = victim.ReadAll().pe.sections.back();
  const size_t sections = victim.ReadAll().pe.sections.size();
  victim.Put(Victim::kSections + (sections - 1) * 40 + 8, 16 << 20);  // its size in memory
  const size_t head = victim.Table(PeDirectory::kExports);
  victim.Put(head + 24, 1 << 20);
  victim.Put(head + 32, zeros.address + 4096);
  victim.Put(head + 36, zeros.address + 4096);
  const PeExports exports = victim.ReadAll().exports;
  EXPECT_TRUE(exports.cut);
  EXPECT_FALSE(exports.names.empty());
  EXPECT_LE(exports.names.size(), victim.bytes.size() / 4);
}

TEST(PeDamage, ExportsOutsideTheImage) {
  for (const size_t field : {28u, 32u, 36u}) {
    Victim victim;
    victim.Put(victim.Table(PeDirectory::kExports) + field, 0xFFFFFFF8);
    EXPECT_TRUE(victim.ReadAll().exports.cut) << field;
  }
  Victim victim;
  victim.Put(Victim::Directory(PeDirectory::kExports), 0xFFFFFFF8);
  EXPECT_EQ(victim.ReadAll().pe.export_name, std::nullopt);
}

TEST(PeDamage, NamesThatLeadToNoFunctionAreNotThere) {
  Victim victim({.exports = {"a", "b", "c"}});
  const size_t head = victim.Table(PeDirectory::kExports);
  victim.Put(victim.OffsetOf(victim.Get(head + 28)), 0);           // the address of "a"
  victim.PutHalf(victim.OffsetOf(victim.Get(head + 36)) + 2, 99);  // the number of "b"
  const PeExports exports = victim.ReadAll().exports;
  EXPECT_EQ(exports.names, (std::vector<std::string>{"c"}));
  EXPECT_EQ(exports.ordinals, (std::vector<uint16_t>{2, 3}));
  EXPECT_FALSE(exports.cut);
}

TEST(PeDamage, ResourceDirectoryThatLeadsIntoItself) {
  Victim victim;
  const size_t root = victim.Table(PeDirectory::kResources);
  victim.Put(root + 16 + 4, 0x80000000);  // the version: the root again
  const PeFile pe = victim.ReadAll().pe;
  EXPECT_EQ(pe.problem, PeProblem::kNone);
  EXPECT_FALSE(pe.version);
  EXPECT_TRUE(pe.manifest);
}

TEST(PeDamage, ResourceWithHugeCountsAndSizes) {
  Victim victim;
  const size_t root = victim.Table(PeDirectory::kResources);
  victim.PutHalf(root + 12, 65535);
  victim.PutHalf(root + 14, 65535);
  EXPECT_TRUE(victim.ReadAll().pe.version);  // the existing entries count
  Victim other;
  const size_t data = root + 2 * 8 + 16 + 4 * 24;  // after the directories of two resources
  other.Put(data + 4, ~0u);
  EXPECT_FALSE(other.ReadAll().pe.version);
}

TEST(PeDamage, VersionResourceCutAtEveryLength) {
  const PeSpec spec = {.version = PeVersionInfo{"1.2.3.4", "5.6.7.8", {{"A", "b"}, {"ProductName", "x"}}}};
  Victim victim(spec);
  const size_t data = victim.Table(PeDirectory::kResources) + 8 + 16 + 2 * 24;
  const uint32_t size = victim.Get(data + 4);
  for (uint32_t length = 0; length < size; ++length) {
    victim.Put(data + 4, length);
    const PeFile pe = victim.ReadAll().pe;
    EXPECT_FALSE(pe.version) << length;  // its own length no longer fits
  }
}

// A file with a part that is a hole, or unreadable.
class Holed final : public base::ByteSource {
 public:
  Holed(std::string bytes, uint64_t from, bool fails)
      : bytes_(std::move(bytes)), from_(from), fails_(fails) {}
  uint64_t size() const override { return uint64_t{1} << 40; }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    if (fails_ && offset + out.size() > from_) return base::Fail(base::ErrorCode::kNotReadable, "no");
    std::ranges::fill(out, std::byte{0});
    for (size_t i = 0; i < out.size() && offset + i < std::min<uint64_t>(from_, bytes_.size()); ++i) {
      out[i] = static_cast<std::byte>(bytes_[static_cast<size_t>(offset) + i]);
    }
    return out.size();
  }

 private:
  std::string bytes_;
  uint64_t from_;
  bool fails_;
};

TEST(PeDamage, SparseFileOfATerabyte) {
  const std::string bytes = BuildPe(Small());
  for (uint64_t from = 0; from < bytes.size(); from += 64) {
    EXPECT_NE(ReadAll(Holed(bytes, from, /*fails=*/false)).pe.problem, PeProblem::kReadFailed);
  }
}

TEST(PeDamage, ReadThatFailsIsToldAsSuch) {
  const std::string bytes = BuildPe(Small()) + std::string(8192, 'x');
  EXPECT_EQ(ReadAll(Holed(bytes, 0, /*fails=*/true)).pe.problem, PeProblem::kReadFailed);
}

}  // namespace
}  // namespace culprit::binfmt
