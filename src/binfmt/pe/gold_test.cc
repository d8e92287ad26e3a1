// Compares the PE reader with other tools: DLLs made by mingw-w64's compiler and linker, and those of our own
// writer, as mingw's objdump describes them.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "base/text.h"
#include "binfmt/pe/pe.h"
#include "binfmt/pe/write.h"
#include "binfmt/testing/host.h"

namespace culprit::binfmt {
namespace {

using testing::FileSource;
using testing::Output;

struct Facts {
  std::string format;
  std::map<std::string, std::multiset<std::string>> imports;  // DLL -> names and "#ordinal"
  std::string own_name;
  std::multiset<std::string> exports;
  std::vector<std::string> sections;
  bool operator==(const Facts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Facts& facts) {
  out << facts.format << " own name " << facts.own_name << "\nexports:";
  for (const std::string& name : facts.exports) out << " " << name;
  for (const auto& [dll, names] : facts.imports) {
    out << "\n" << dll << ":";
    for (const std::string& name : names) out << " " << name;
  }
  out << "\nsections:";
  for (const std::string& name : facts.sections) out << " " << name;
  return out;
}

Facts Describe(const std::string& path) {
  const FileSource source(path);
  const PeFile pe = ReadPe(source);
  EXPECT_EQ(pe.problem, PeProblem::kNone) << path;
  Facts facts;
  facts.format = pe.machine == kPeMachineX64 && pe.bits == 64   ? "pei-x86-64"
                 : pe.machine == kPeMachine386 && pe.bits == 32 ? "pei-i386"
                                                                : "other";
  for (const PeImport& import : pe.imports) {
    auto& names = facts.imports[import.dll];
    names.insert(import.names.begin(), import.names.end());
    for (const uint16_t ordinal : import.ordinals) names.insert("#" + std::to_string(ordinal));
  }
  facts.own_name = pe.export_name.value_or("");
  const PeExports exports = ReadPeExports(source, pe);
  EXPECT_FALSE(exports.cut);
  facts.exports.insert(exports.names.begin(), exports.names.end());
  // Names longer than 8 characters are stored elsewhere; objdump looks there, the loader does not.
  for (const PeSection& section : pe.sections) {
    if (!section.name.starts_with('/')) facts.sections.push_back(section.name);
  }
  return facts;
}

// The output of `objdump -ph`. Its lines differ slightly between the two formats and between releases.
Facts AskObjdump(const std::string& objdump, const std::string& path) {
  static const std::regex kFormat(R"(file format (\S+))");
  static const std::regex kDll(R"(DLL Name: (.*)$)");
  static const std::regex kMember(R"(^\s+([0-9a-f]+)\s+[0-9a-f]+\s+(\S+)\s*$)");
  static const std::regex kName(R"(^Name\s+[0-9a-f]+ (.*)$)");
  static const std::regex kExport(
      R"(^\s+\[ *[0-9]+\] (?:\+base\[ *[0-9]+\]\s+(?:[0-9a-f]+ )?)?([^+\s]\S*)$)");
  static const std::regex kSection(R"(^ +[0-9]+ (\S+) +[0-9a-f]{8} )");
  Facts facts;
  std::string dll;
  bool in_names = false;
  for (const std::string& line : base::Split(Output(objdump + " -ph '" + path + "'"), '\n')) {
    std::smatch match;
    if (std::regex_search(line, match, kFormat)) facts.format = match[1];
    if (line.starts_with("[Ordinal/Name Pointer]")) in_names = true;
    if (line.starts_with("Sections:")) in_names = false;
    if (line.find("Export Address Table") != std::string::npos) dll.clear();
    if (std::regex_search(line, match, kDll)) {
      dll = match[1];
      facts.imports[dll];
    } else if (!dll.empty() && line.empty()) {
      dll.clear();
    } else if (!dll.empty() && std::regex_search(line, match, kMember)) {
      const bool by_ordinal = match[2] == "<none>";  // the first column is the raw word
      const uint64_t word = std::stoull(match[1], nullptr, 16);
      facts.imports[dll].insert(by_ordinal ? "#" + std::to_string(word & 0xFFFF) : match[2].str());
    } else if (std::regex_search(line, match, kName)) {
      facts.own_name = match[1];
    } else if (in_names && std::regex_search(line, match, kExport)) {
      facts.exports.insert(match[1]);
    } else if (std::regex_search(line, match, kSection) && match[1].length() <= 8) {
      facts.sections.push_back(match[1]);
    }
  }
  return facts;
}

class PeGold : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!testing::HasProgram(objdump())) GTEST_SKIP() << objdump() << " is not installed";
  }
  std::string tool(const std::string& name) const { return std::string(GetParam()) + "-w64-mingw32-" + name; }
  std::string objdump() const { return tool("objdump"); }
  bool is64() const { return std::string_view(GetParam()) == "x86_64"; }
};
INSTANTIATE_TEST_SUITE_P(Mingw, PeGold, ::testing::Values("i686", "x86_64"));

TEST_P(PeGold, DllsOfALinkerReadLikeObjdump) {
  const std::string gcc = tool("gcc");
  if (!testing::HasProgram(gcc)) GTEST_SKIP() << gcc << " is not installed";
  const testing::TemporaryDirectory directory;
  directory.Write(
      "a.def",
      "LIBRARY first.dll\nEXPORTS\n  Run\n  Stop @20 NONAME\n  word DATA\n  Tick=KERNEL32.GetTickCount\n");
  directory.Write("a.c", "int word = 0x90A02; int Run(void) { return 1; } int Stop(void) { return 2; }\n");
  directory.Write("b.def", "LIBRARY a.dll\nEXPORTS\n  Run\n  Stop @20 NONAME\n");
  directory.Write(
      "b.c",
      "#include <windows.h>\n#include <stdio.h>\nint Run(void); int Stop(void);\n"
      "__declspec(dllexport) int Go(void) { printf(\"%lu\", GetTickCount()); return Run() + Stop(); }\n"
      "__declspec(dllexport) int b_long_name_of_a_function_that_does_not_fit_anywhere;\n");
  const std::string in = "cd '" + directory.path() + "' && ";
  Output(in + gcc + " -shared -o a.dll a.c a.def && " + tool("dlltool") + " -d b.def -l liba.a && " + gcc +
         " -shared -o b.dll b.c liba.a");
  const std::string a = directory.path() + "/a.dll", b = directory.path() + "/b.dll";
  ASSERT_TRUE(std::filesystem::exists(a) && std::filesystem::exists(b)) << "the linker failed";

  const Facts first = Describe(a), second = Describe(b);
  EXPECT_EQ(first, AskObjdump(objdump(), a));
  EXPECT_EQ(second, AskObjdump(objdump(), b));
  // Make sure that they are not equal because both are empty.
  EXPECT_EQ(first.own_name, "first.dll");
  EXPECT_EQ(first.exports, (std::multiset<std::string>{"Run", "Tick", "word"}));
  EXPECT_EQ(second.imports.at("a.dll"), (std::multiset<std::string>{"#20", "Run"}));
  EXPECT_TRUE(second.exports.contains("Go"));

  const FileSource source(a);
  const PeFile pe = ReadPe(source);
  EXPECT_EQ(ReadPeWord(source, pe, "word"), 0x90A02u);
  const PeExports exports = ReadPeExports(source, pe);
  ASSERT_NE(exports.FindForwarder("Tick"), nullptr);
  EXPECT_EQ(exports.FindForwarder("Tick")->target, "KERNEL32.GetTickCount");
  EXPECT_TRUE(exports.Has(uint16_t{20}));
}

TEST_P(PeGold, VersionAndManifestOfAResourceCompiler) {
  const std::string windres = tool("windres"), gcc = tool("gcc");
  if (!testing::HasProgram(windres) || !testing::HasProgram(gcc))
    GTEST_SKIP() << windres << " is not installed";
  const testing::TemporaryDirectory directory;
  directory.Write("a.manifest",
                  "<assembly xmlns='urn:schemas-microsoft-com:asm.v1' manifestVersion='1.0'><dependency>"
                  "<dependentAssembly><assemblyIdentity type='win32' name='Some.Assembly' version='1.0.0.0'/>"
                  "</dependentAssembly></dependency></assembly>");
  directory.Write("a.rc",
                  "2 24 \"a.manifest\"\n1 VERSIONINFO\nFILEVERSION 8,9,5,29\nPRODUCTVERSION 8,9,5,30\nBEGIN\n"
                  "BLOCK \"StringFileInfo\"\nBEGIN\nBLOCK \"040904b0\"\nBEGIN\n"
                  "VALUE \"CompanyName\", \"Some Company\"\nVALUE \"FileVersion\", \"8.9.5.29\"\n"
                  "VALUE \"ProductName\", \"Odd\"\nEND\nEND\nBLOCK \"VarFileInfo\"\nBEGIN\n"
                  "VALUE \"Translation\", 0x409, 1200\nEND\nEND\n");
  directory.Write("a.c", "int a;\n");
  Output("cd '" + directory.path() + "' && " + windres + " a.rc rc.o && " + gcc +
         " -shared -o a.dll a.c rc.o");
  const std::string path = directory.path() + "/a.dll";
  ASSERT_TRUE(std::filesystem::exists(path)) << "the linker failed";
  const PeFile pe = ReadPe(FileSource(path));
  ASSERT_TRUE(pe.version);
  EXPECT_EQ(*pe.version,
            (PeVersionInfo{
                "8.9.5.29",
                "8.9.5.30",
                {{"CompanyName", "Some Company"}, {"FileVersion", "8.9.5.29"}, {"ProductName", "Odd"}}}));
  EXPECT_EQ(pe.manifest_dependencies, (std::vector<std::string>{"Some.Assembly"}));
}

TEST_P(PeGold, FilesOfOurBuilderReadLikeObjdump) {
  const testing::TemporaryDirectory directory;
  const std::string path =
      directory.Write("a.dll", BuildPe({.bits = is64() ? 64 : 32,
                                        .name = "self.dll",
                                        .imports = {{"a.dll", {"One", "Two"}, {3}}, {"b.dll", {"Three"}}},
                                        .exports = {"Go", "Run"},
                                        .forwarders = {{"Away", "OTHER.Function"}},
                                        .words = {{"word", 7}},
                                        .sections = {{".nv_fatb", "x"}}}));
  const Facts facts = Describe(path);
  EXPECT_EQ(facts, AskObjdump(objdump(), path));
  EXPECT_EQ(facts.imports.size(), 2u);
  EXPECT_EQ(facts.exports.size(), 4u);
}

}  // namespace
}  // namespace culprit::binfmt
