#include "binfmt/pe/pe.h"

#include <gtest/gtest.h>

#include "base/words.h"
#include "binfmt/elf/write.h"
#include "binfmt/pe/tables.h"
#include "binfmt/pe/utf16.h"
#include "binfmt/pe/write.h"

namespace culprit::binfmt {
namespace {

PeFile ReadBuilt(const PeSpec& spec) { return ReadPe(AsSource(BuildPe(spec))); }
PeExports ReadExports(const PeSpec& spec) {
  const std::string bytes = BuildPe(spec);
  return ReadPeExports(AsSource(bytes), ReadPe(AsSource(bytes)));
}

const std::vector<PeImport> kImports = {
    {"KERNEL32.dll", {"LoadLibraryA", "GetProcAddress"}, {}, false},
    {"b.dll", {"Run"}, {7, 65535}, true},
    {"none.dll", {}, {}, false},
};

class PeBits : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Both, PeBits, ::testing::Values(32, 64));

TEST_P(PeBits, HeaderSaysWhatItIs) {
  const PeFile pe = ReadBuilt({.bits = GetParam(), .subsystem = 3, .time_stamp = 77, .exports = {"Go"}});
  EXPECT_EQ(pe.problem, PeProblem::kNone);
  EXPECT_EQ(pe.bits, GetParam());
  EXPECT_EQ(pe.machine, GetParam() == 64 ? kPeMachineX64 : kPeMachine386);
  EXPECT_TRUE(pe.dll);
  EXPECT_EQ(pe.subsystem, 3);
  EXPECT_EQ(pe.time_stamp, 77u);
  EXPECT_EQ(pe.image_base, GetParam() == 64 ? 0x180000000u : 0x10000000u);
  EXPECT_EQ(pe.entry_point, 0u);
  EXPECT_FALSE(pe.managed);
  ASSERT_EQ(pe.sections.size(), 2u);
  EXPECT_EQ(pe.sections[0].name, ".text");
  EXPECT_EQ(pe.sections[1].name, ".edata");
  EXPECT_EQ(pe.sections[1].address, 0x2000u);
  EXPECT_EQ(pe.sections[1].offset, 0x600u);
  EXPECT_EQ(pe.image_size, 0x3000u);
  EXPECT_TRUE(pe.complete());
  EXPECT_EQ(pe.file_size, pe.needed_size);
}

TEST_P(PeBits, ImportsInFileOrderByNameAndByOrdinal) {
  EXPECT_EQ(ReadBuilt({.bits = GetParam(), .imports = kImports}).imports, kImports);
}

TEST_P(PeBits, ImportsOfAFileWithOneListOnly) {
  EXPECT_EQ(ReadBuilt({.bits = GetParam(), .imports = kImports, .imports_in_one_list = true}).imports,
            kImports);
}

TEST_P(PeBits, DelayImportsAreApart) {
  const PeFile pe = ReadBuilt({.bits = GetParam(), .delay_imports = kImports});
  EXPECT_EQ(pe.delay_imports, kImports);
  EXPECT_TRUE(pe.imports.empty());
}

TEST(Pe, DelayImportsOfTheOldFormHoldAddresses) {
  EXPECT_EQ(ReadBuilt({.bits = 32, .delay_imports = kImports, .delay_by_address = true}).delay_imports,
            kImports);
}

TEST_P(PeBits, BoundImports) {
  const std::vector<std::string> bound = {"KERNEL32.dll", "USER32.dll"};
  EXPECT_EQ(ReadBuilt({.bits = GetParam(), .imports = kImports, .bound_imports = bound}).bound_imports,
            bound);
}

TEST_P(PeBits, ImageWithSmallAlignmentIsMappedAsOnePiece) {
  const PeSpec spec = {.bits = GetParam(), .flat = true, .imports = kImports, .exports = {"Go"}};
  const PeFile pe = ReadBuilt(spec);
  EXPECT_EQ(pe.problem, PeProblem::kNone);
  EXPECT_EQ(pe.sections[1].address, pe.sections[1].offset);
  EXPECT_EQ(pe.imports, kImports);
  EXPECT_TRUE(ReadExports(spec).Has("Go"));
}

TEST_P(PeBits, ExportsByNameByOrdinalAndForwarded) {
  const PeSpec spec = {.bits = GetParam(),
                       .name = "self.dll",
                       .exports = {"b", "a"},
                       .forwarders = {{"c", "OTHER.Function"}},
                       .nameless = 1,
                       .nameless_forwarders = {"OTHER.#12"},
                       .ordinal_base = 10};
  const PeFile pe = ReadBuilt(spec);
  EXPECT_EQ(pe.export_name, "self.dll");
  EXPECT_EQ(pe.export_count, 5u);
  const PeExports exports = ReadExports(spec);
  EXPECT_EQ(exports.names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(exports.ordinals, (std::vector<uint16_t>{10, 11, 12, 13, 14}));
  EXPECT_EQ(exports.forwarders,
            (std::vector<PeExports::Forwarder>{{"#14", "OTHER.#12", 14}, {"c", "OTHER.Function", 12}}));
  EXPECT_FALSE(exports.cut);
  EXPECT_TRUE(exports.Has("a"));
  EXPECT_FALSE(exports.Has("d"));
  EXPECT_FALSE(exports.Has("A"));
  EXPECT_TRUE(exports.Has(uint16_t{13}));
  EXPECT_FALSE(exports.Has(uint16_t{9}));
  EXPECT_EQ(exports.FindForwarder("a"), nullptr);
  ASSERT_NE(exports.FindForwarder("c"), nullptr);
  EXPECT_EQ(exports.FindForwarder("c")->target, "OTHER.Function");
  ASSERT_NE(exports.FindForwarder(uint16_t{12}), nullptr);
  EXPECT_EQ(exports.FindForwarder(uint16_t{12})->target, "OTHER.Function");
  EXPECT_EQ(exports.FindForwarder(uint16_t{10}), nullptr);
}

TEST(Pe, FileWithoutExportsHasNoNameAndNoExports) {
  const PeFile pe = ReadBuilt({.imports = kImports});
  EXPECT_EQ(pe.export_name, std::nullopt);
  EXPECT_EQ(ReadExports({.imports = kImports}), PeExports{});
}

TEST(Pe, ExportedWordIsRead) {
  const PeSpec spec = {
      .exports = {"f"}, .forwarders = {{"g", "a.b"}}, .words = {{"cudnn_graph_version", 0x90A02}}};
  const std::string bytes = BuildPe(spec);
  const PeFile pe = ReadPe(AsSource(bytes));
  EXPECT_EQ(ReadPeWord(AsSource(bytes), pe, "cudnn_graph_version"), 0x90A02u);
  EXPECT_EQ(ReadPeWord(AsSource(bytes), pe, "cudnn_ops_version"), std::nullopt);
  EXPECT_EQ(ReadPeWord(AsSource(bytes), pe, "g"), std::nullopt);
}

TEST(Pe, VersionResource) {
  const PeVersionInfo info = {"6.14.11.12040",
                              "10.0.10011.16384",
                              {{"CompanyName", "NVIDIA Corporation"},
                               {"ProductName", "NVIDIA CUDA 12.4.127 Runtime"},
                               {"LegalCopyright", "Copyright \xC2\xA9 \xF0\x9F\x98\x80"}}};
  const PeFile pe = ReadBuilt({.version = info});
  ASSERT_TRUE(pe.version);
  EXPECT_EQ(*pe.version, info);
  EXPECT_EQ(pe.version->String("ProductName"), "NVIDIA CUDA 12.4.127 Runtime");
  EXPECT_EQ(pe.version->String("Nothing"), "");
  EXPECT_FALSE(pe.manifest);
}

TEST(Pe, ManifestAndItsDependencies) {
  const std::string manifest =
      "<?xml version='1.0'?><assembly xmlns='urn:x'><assemblyIdentity name='Self'/>"
      "<!-- <dependentAssembly><assemblyIdentity name='Commented'/></dependentAssembly> -->"
      "<asm:dependency><asm:dependentAssembly>\n<asm:assemblyIdentity type = \"win>32\" name = "
      "'Microsoft.VC90.CRT' "
      "version='9'></asm:assemblyIdentity></asm:dependentAssembly></asm:dependency>"
      "<dependency><dependentAssembly><assemblyIdentity "
      "name=\"Common-Controls\"/></dependentAssembly></dependency>"
      "<dependency><dependentAssembly><assemblyIdentity "
      "name=\"Common-Controls\"/></dependentAssembly></dependency>"
      "</assembly>";
  const PeFile pe = ReadBuilt({.version = PeVersionInfo{}, .manifest = "\xEF\xBB\xBF" + manifest});
  EXPECT_EQ(pe.manifest, manifest);
  EXPECT_EQ(pe.manifest_dependencies, (std::vector<std::string>{"Microsoft.VC90.CRT", "Common-Controls"}));
}

TEST(Pe, ManifestInUtf16) {
  const PeFile pe = ReadBuilt({.manifest = std::string("\xFF\xFE<\0a\0/\0>\0", 10)});
  EXPECT_EQ(pe.manifest, "<a/>");
}

TEST(Pe, ManifestThatIsNoXmlGivesNothing) {
  for (const char* const text :
       {"", "<", "<dependentAssembly><assemblyIdentity name='x", "<!--", "<dependentAssembly",
        "<dependentAssembly><assemblyIdentity name></dependentAssembly>",
        "<dependentAssembly><assemblyIdentity ='x'/>"}) {
    EXPECT_TRUE(ManifestDependencies(text).empty()) << text;
  }
}

TEST(Pe, CertificateIsNoOverlay) {
  const PeFile plain = ReadBuilt({.overlay = "tail"});
  EXPECT_EQ(plain.overlay_size, 4u);
  EXPECT_EQ(plain.certificate_size, 0u);
  const PeFile signed_file = ReadBuilt({.overlay = "tail", .certificate_size = 100});
  EXPECT_EQ(signed_file.overlay_size, 4u);
  EXPECT_EQ(signed_file.certificate_size, 100u);
  EXPECT_EQ(ReadBuilt({.certificate_size = 100}).overlay_size, 0u);
}

TEST(Pe, TruncationShowsInNeededSize) {
  const PeFile whole = ReadBuilt({.exports = {"Go"}, .sections = {{".data", std::string(1000, 'x')}}});
  const PeFile cut =
      ReadBuilt({.exports = {"Go"}, .sections = {{".data", std::string(1000, 'x')}}, .cut = 30});
  EXPECT_EQ(cut.problem, PeProblem::kSectionsCut);
  EXPECT_FALSE(cut.complete());
  EXPECT_EQ(cut.needed_size, whole.needed_size);
  EXPECT_EQ(cut.file_size, whole.file_size - 30);
  EXPECT_EQ(cut.export_name, "");  // what is there is read
  EXPECT_EQ(cut.overlay_size, 0u);
  // Windows loads a file with a truncated certificate.
  EXPECT_EQ(ReadBuilt({.certificate_size = 100, .cut = 30}).problem, PeProblem::kNone);
}

TEST(Pe, ManagedCodeAndOtherMachines) {
  EXPECT_TRUE(ReadBuilt({.managed = true}).managed);
  EXPECT_EQ(ReadBuilt({.machine = kPeMachineArm64}).machine, kPeMachineArm64);
  EXPECT_FALSE(ReadBuilt({.dll = false}).dll);
  EXPECT_NE(ReadBuilt({.dll = false}).entry_point, 0u);
}

TEST(Pe, WhatIsNoPe) {
  EXPECT_EQ(ReadPe(AsSource("")).problem, PeProblem::kEmpty);
  EXPECT_EQ(ReadPe(AsSource("MZ")).problem, PeProblem::kTooShort);
  EXPECT_EQ(ReadPe(AsSource(std::string(100, 'x'))).problem, PeProblem::kNotPe);
  EXPECT_EQ(ReadPe(AsSource("MZ" + std::string(100, '\0'))).problem, PeProblem::kNotPe);  // a DOS program
  EXPECT_EQ(ReadPe(AsSource("MZ" + std::string(100, '\xFF'))).problem, PeProblem::kHeadersCut);
  std::string bytes = BuildPe({});
  bytes[64 + 24] = 7;  // the magic number of the optional header
  EXPECT_EQ(ReadPe(AsSource(bytes)).problem, PeProblem::kBadHeader);
  EXPECT_EQ(ReadPe(AsSource(bytes)).machine, kPeMachineX64);
}

TEST(Pe, NamesComeBack) {
  for (int i = 0; i <= static_cast<int>(PeProblem::kReadFailed); ++i) {
    const auto problem = static_cast<PeProblem>(i);
    EXPECT_EQ(base::FromWord<PeProblem>(base::Word(problem)), problem);
  }
  EXPECT_EQ(base::Word(PeProblem::kSectionsCut), "sections-cut");
  EXPECT_EQ(PeMachineName(kPeMachineX64), "x86-64");
  EXPECT_EQ(PeMachineName(0x1A2), "machine 0x01a2");
}

TEST(Utf16, LoneSurrogatesAndOddBytes) {
  const auto convert = [](std::string_view bytes) { return Utf16ToUtf8(std::as_bytes(std::span(bytes))); };
  EXPECT_EQ(convert(std::string_view("a\0\xE9\0", 4)), "a\xC3\xA9");
  EXPECT_EQ(convert(std::string_view("\0\xD8"
                                     "b\0",
                                     4)),
            "\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(convert(std::string_view("\0\xDC", 2)), "\xEF\xBF\xBD");
  EXPECT_EQ(convert(std::string_view("\0\xD8", 2)), "\xEF\xBF\xBD");
  EXPECT_EQ(convert("a"), "");
}

}  // namespace
}  // namespace culprit::binfmt
