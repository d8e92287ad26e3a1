// What is read from valid files, and the problem reported for each kind of invalid file.
#include "binfmt/elf/elf.h"

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>

#include "base/words.h"
#include "binfmt/elf/write.h"
#include "binfmt/testing/host.h"

namespace culprit::binfmt {
namespace {

ElfFile Read(const std::string& bytes) { return ReadElf(AsSource(bytes)); }

ElfSpec Everything() {
  return {
      .soname = "libfoo.so.1",
      .needed = {"libbar.so.2", "libc.so.6"},
      .requests = {{ElfRequest::Kind::kAuxiliary, "libaux.so"}, {ElfRequest::Kind::kFilter, "libfilter.so"}},
      .rpath = "/opt/rpath:$ORIGIN",
      .runpath = "$ORIGIN/../lib",
      .interpreter = "/lib64/ld-linux-x86-64.so.2",
      .version_needs = {{"libc.so.6", {{"GLIBC_2.17", false}, {"GLIBC_2.34", true}}},
                        {"libbar.so.2", {{"BAR_1", false}}}},
      .version_defs = {"FOO_1.0", "FOO_1.1"},
      .stack_flags = PF_R | PF_W | PF_X,
      .flags = DF_BIND_NOW,
      .flags_1 = DF_1_NOW | DF_1_PIE,
      .relr = true,
      .build_id = "00112233445566778899aabbccddeeff01234567",
      .words = {{"foo_version", 0x00091300}, {"other", 42}}};
}

struct Format {
  const char* name;
  int bits;
  bool big_endian;
};

class ElfOfEveryFormat : public ::testing::TestWithParam<Format> {
 protected:
  ElfSpec Spec() const {
    ElfSpec spec = Everything();
    spec.bits = GetParam().bits;
    spec.big_endian = GetParam().big_endian;
    return spec;
  }
};
INSTANTIATE_TEST_SUITE_P(Formats, ElfOfEveryFormat,
                         ::testing::Values(Format{"Little64", 64, false}, Format{"Big64", 64, true},
                                           Format{"Little32", 32, false}, Format{"Big32", 32, true}),
                         [](const auto& format) { return std::string(format.param.name); });

TEST_P(ElfOfEveryFormat, GivesAllFacts) {
  const ElfSpec spec = Spec();
  const std::string bytes = BuildElf(spec);
  const ElfFile elf = Read(bytes);
  EXPECT_EQ(elf.problem, ElfProblem::kNone) << base::Word(elf.problem);
  EXPECT_EQ(elf.bits(), spec.bits);
  EXPECT_EQ(elf.big_endian(), spec.big_endian);
  EXPECT_EQ(elf.type, ET_DYN);
  EXPECT_EQ(elf.machine, EM_X86_64);
  EXPECT_EQ(elf.version, 1u);
  EXPECT_EQ(elf.phentsize, spec.bits == 64 ? 56 : 32);
  EXPECT_EQ(elf.phnum, 6);
  ASSERT_EQ(elf.loads.size(), 2u);
  EXPECT_EQ(elf.loads[1].vaddr, elf.loads[1].offset + 0x10000);
  EXPECT_EQ(elf.loads[1].flags, uint32_t{PF_R | PF_W});
  EXPECT_EQ(elf.file_size, bytes.size());
  EXPECT_EQ(elf.needed_size, bytes.size());
  EXPECT_TRUE(elf.complete());
  EXPECT_TRUE(elf.has_dynamic);
  EXPECT_FALSE(elf.dynamic_empty);
  EXPECT_EQ(elf.stack_flags, spec.stack_flags);
  EXPECT_EQ(elf.interpreter, spec.interpreter);
  EXPECT_EQ(elf.soname, spec.soname);
  EXPECT_EQ(elf.rpath, spec.rpath);
  EXPECT_EQ(elf.runpath, spec.runpath);
  const std::vector<ElfRequest> requests = {{ElfRequest::Kind::kNeeded, "libbar.so.2"},
                                            {ElfRequest::Kind::kNeeded, "libc.so.6"},
                                            {ElfRequest::Kind::kAuxiliary, "libaux.so"},
                                            {ElfRequest::Kind::kFilter, "libfilter.so"}};
  EXPECT_EQ(elf.requests, requests);
  EXPECT_EQ(elf.flags, uint64_t{DF_BIND_NOW});
  EXPECT_EQ(elf.flags_1, uint64_t{DF_1_NOW | DF_1_PIE});
  EXPECT_TRUE(elf.has_relr);
  EXPECT_EQ(elf.version_needs, spec.version_needs);
  EXPECT_TRUE(elf.has_version_defs);
  EXPECT_EQ(elf.version_defs, spec.version_defs);
  EXPECT_EQ(elf.build_id, spec.build_id);
}

TEST_P(ElfOfEveryFormat, GivesExportedWordsByEitherHashTable) {
  for (const auto hash : {ElfSpec::Hash::kGnu, ElfSpec::Hash::kSysv, ElfSpec::Hash::kBoth}) {
    ElfSpec spec = Spec();
    spec.hash = hash;
    const std::string bytes = BuildElf(spec);
    const ElfFile elf = Read(bytes);
    EXPECT_EQ(ReadElfWord(AsSource(bytes), elf, "foo_version"), 0x00091300u);
    EXPECT_EQ(ReadElfWord(AsSource(bytes), elf, "other"), 42u);
    EXPECT_EQ(ReadElfWord(AsSource(bytes), elf, "absent"), std::nullopt);
    EXPECT_EQ(ReadElfWord(AsSource(bytes), elf, ""), std::nullopt);
  }
}

TEST(Elf, FileWithNothingInItsDynamicSectionHasNoProblem) {
  const ElfFile elf = Read(BuildElf({.stack_flags = std::nullopt}));
  EXPECT_EQ(elf.problem, ElfProblem::kNone);
  EXPECT_EQ(elf.soname, std::nullopt);
  EXPECT_EQ(elf.interpreter, std::nullopt);
  EXPECT_EQ(elf.stack_flags, std::nullopt);
  EXPECT_EQ(elf.build_id, std::nullopt);
  EXPECT_TRUE(elf.requests.empty());
  EXPECT_FALSE(elf.has_version_defs);
}

TEST(Elf, EmptyRunPathIsNotAnAbsentOne) {
  EXPECT_EQ(Read(BuildElf({.runpath = ""})).runpath, "");
  EXPECT_EQ(Read(BuildElf({})).runpath, std::nullopt);
}

TEST(Elf, StaticProgramHasNoDynamicSection) {
  const ElfFile elf = Read(BuildElf({.type = ET_EXEC, .build_id = "ab", .dynamic = ElfSpec::Dynamic::kNo}));
  EXPECT_EQ(elf.problem, ElfProblem::kNoDynamic);
  EXPECT_FALSE(elf.has_dynamic);
  EXPECT_FALSE(elf.dynamic_empty);
  EXPECT_EQ(elf.build_id, "ab");
  EXPECT_EQ(elf.loads.size(), 2u);
}

TEST(Elf, DebugInfoFileHasAnEmptyDynamicSection) {
  const ElfFile elf = Read(BuildElf({.soname = "liba.so", .dynamic = ElfSpec::Dynamic::kEmpty}));
  EXPECT_EQ(elf.problem, ElfProblem::kNoDynamic);
  EXPECT_FALSE(elf.has_dynamic);
  EXPECT_TRUE(elf.dynamic_empty);
  EXPECT_EQ(elf.soname, std::nullopt);
}

TEST(Elf, EmptyFileIsTooShort) {
  const ElfFile elf = Read("");
  EXPECT_EQ(elf.problem, ElfProblem::kTooShort);
  EXPECT_EQ(elf.bits(), 0);
}

TEST(Elf, ShortTextIsTooShortAndLongTextIsNotElf) {
  EXPECT_EQ(Read(std::string(63, '\1')).problem, ElfProblem::kTooShort);
  EXPECT_EQ(Read(std::string(64, '\1')).problem, ElfProblem::kNotElf);
  EXPECT_EQ(Read("INPUT ( /usr/lib/libc.so.6 /usr/lib/libc_nonshared.a ) /* a linker script */").problem,
            ElfProblem::kNotElf);
}

TEST(Elf, HeaderOf32BitsNeedsOnly52Bytes) {
  const std::string narrow = BuildElf({.bits = 32});
  EXPECT_EQ(Read(narrow.substr(0, 51)).problem, ElfProblem::kTooShort);
  EXPECT_EQ(Read(narrow.substr(0, 52)).problem, ElfProblem::kHeadersCut);
  const std::string wide = BuildElf({});
  EXPECT_EQ(Read(wide.substr(0, 63)).problem, ElfProblem::kTooShort);
  EXPECT_EQ(Read(wide.substr(0, 64)).problem, ElfProblem::kHeadersCut);
  EXPECT_EQ(Read(wide.substr(0, 64)).machine, EM_X86_64);
}

TEST(Elf, UnknownClassByteOrderAndVersionsAreBadHeaders) {
  const struct {
    size_t at;
    ElfProblem problem;
  } cases[] = {{EI_CLASS, ElfProblem::kBadHeader},   {EI_DATA, ElfProblem::kBadHeader},
               {EI_VERSION, ElfProblem::kBadHeader}, {20, ElfProblem::kBadHeader},  // e_version
               {EI_OSABI, ElfProblem::kNone},        {EI_ABIVERSION, ElfProblem::kNone},
               {EI_PAD, ElfProblem::kNone}};
  for (const auto& [at, problem] : cases) {
    std::string bytes = BuildElf({.soname = "liba.so"});
    bytes[at] = 9;
    const ElfFile elf = Read(bytes);
    EXPECT_EQ(elf.problem, problem) << "byte " << at;
    if (at < 16) {
      EXPECT_EQ(elf.ident[at], 9);
    }
  }
}

TEST(Elf, BadVersionStillGivesTheHeader) {
  std::string bytes = BuildElf({});
  bytes[20] = 7;
  const ElfFile elf = Read(bytes);
  EXPECT_EQ(elf.version, 7u);
  EXPECT_EQ(elf.machine, EM_X86_64);
}

TEST(Elf, StrangeProgramHeaderSizeIsLeftToTheLoaderModel) {
  std::string bytes = BuildElf({.soname = "liba.so"});
  bytes[54] = 57;  // e_phentsize
  const ElfFile elf = Read(bytes);
  EXPECT_EQ(elf.problem, ElfProblem::kNone);
  EXPECT_EQ(elf.phentsize, 57);
  EXPECT_TRUE(elf.loads.empty());
  EXPECT_FALSE(elf.has_dynamic);
}

TEST(Elf, FileCutBehindItsDynamicSectionIsReadableAndIncomplete) {
  std::string bytes = BuildElf({.soname = "liba.so", .words = {{"w", 1}}});
  bytes.resize(bytes.size() - 4);
  const ElfFile elf = Read(bytes);
  EXPECT_EQ(elf.problem, ElfProblem::kNone);
  EXPECT_FALSE(elf.complete());
  EXPECT_EQ(elf.soname, "liba.so");
  EXPECT_EQ(ReadElfWord(AsSource(bytes), elf, "w"), std::nullopt);
}

TEST(Elf, FileSystemFailureIsNotMistakenForAShortFile) {
  class Failing final : public base::ByteSource {
   public:
    uint64_t size() const override { return 10000; }
    base::Result<size_t> ReadAt(uint64_t, std::span<std::byte>) const override {
      return base::Fail(base::ErrorCode::kNotReadable, "input/output error");
    }
  };
  EXPECT_EQ(ReadElf(Failing()).problem, ElfProblem::kReadFailed);
}

TEST(Elf, TypicalLibraryCostsFewReads) {
  class Counting final : public base::ByteSource {
   public:
    explicit Counting(const std::string& path) : file_(path) {}
    uint64_t size() const override { return file_.size(); }
    base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
      ++reads;
      return file_.ReadAt(offset, out);
    }
    mutable int reads = 0;

   private:
    testing::FileSource file_;
  };
  Dl_info libc{};
  void* function = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
  if (function == nullptr || dladdr(function, &libc) == 0) GTEST_SKIP() << "no shared glibc here";
  const Counting source(libc.dli_fname);
  EXPECT_EQ(ReadElf(source).problem, ElfProblem::kNone);
  EXPECT_LE(source.reads, 6);
}

TEST(Elf, ReadsTheRunningProgram) {
  const testing::FileSource self("/proc/self/exe");
  const ElfFile elf = ReadElf(self);
  EXPECT_EQ(elf.problem, ElfProblem::kNone);
  EXPECT_EQ(elf.bits(), static_cast<int>(8 * sizeof(void*)));
  EXPECT_TRUE(elf.interpreter.has_value());
  EXPECT_TRUE(elf.complete());
  EXPECT_NE(std::ranges::find(elf.requests, ElfRequest{ElfRequest::Kind::kNeeded, "libc.so.6"}),
            elf.requests.end());
}

TEST(Elf, ProblemNamesGoBothWays) {
  for (int i = 0; i <= static_cast<int>(ElfProblem::kReadFailed); ++i) {
    const auto problem = static_cast<ElfProblem>(i);
    EXPECT_EQ(base::FromWord<ElfProblem>(base::Word(problem)), problem);
  }
  EXPECT_EQ(base::Word(ElfProblem::kHeadersCut), "headers-cut");
  EXPECT_EQ(base::FromWord<ElfProblem>("from the future"), std::nullopt);
}

TEST(Elf, UnknownMachinesAreNumbers) {
  EXPECT_EQ(MachineName(EM_X86_64), "x86-64");
  EXPECT_EQ(MachineName(EM_AARCH64), "aarch64");
  EXPECT_EQ(MachineName(EM_386), "386");
  EXPECT_EQ(MachineName(0xfeed), "machine 65261");
}

}  // namespace
}  // namespace culprit::binfmt
