// tools/generate_tables: what it rejects, and with which message. Each case is the smallest file with one
// mistake.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace culprit::knowledge {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsual = "[usual]\ndirectories = [\"/usr/lib\"]\npython = [\"torch/lib\"]\n";

class GenerateTables : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "culprit-tables-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  // Runs the generator on `text` and returns its exit status and output, without the directory.
  std::pair<int, std::string> Run(const std::string& text, const std::string& subject = "libraries") {
    std::ofstream(directory_ / "in.toml") << text;
    const std::string command = "cd '" + directory_.string() + "' && '" CULPRIT_GENERATE_TABLES "' " +
                                subject + " out.cc in.toml 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    for (int c; (c = fgetc(pipe)) != EOF;) output += static_cast<char>(c);
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
  }

  // A library on line 4, with the given lines added at the end.
  static std::string OneLibrary(const std::string& lines) {
    return std::string(kUsual) +
           "[[library]]\nname = \"x\"\nfamily = \"cuda\"\ntitle = \"X\"\nsonames = [\"libx.so.1\"]\nsource = "
           "\"s\"\n" +
           lines;
  }
  static std::string OneEdge(const std::string& lines) {
    return OneLibrary("[[library.opens]]\noptional = true\nsource = \"s\"\n" + lines);
  }

  fs::path directory_;
};

using Result = std::pair<int, std::string>;

TEST_F(GenerateTables, WritesTheTablesOfASoundFile) {
  EXPECT_EQ(Run(OneEdge("names = [\"liby.so.{major}\", \"$ORIGIN/liby.so\"]\nsince = \"1.2\"\n")),
            Result(0, ""));
  EXPECT_TRUE(fs::exists(directory_ / "out.cc"));
}

TEST_F(GenerateTables, WritesNothingWhenSomethingIsWrong) {
  EXPECT_EQ(Run("").first, 1);
  EXPECT_FALSE(fs::exists(directory_ / "out.cc"));
}

TEST_F(GenerateTables, NamesTheLineOfASyntaxError) {
  const auto [status, output] = Run(std::string(kUsual) + "[[library]\n");
  EXPECT_EQ(status, 1);
  EXPECT_TRUE(output.starts_with("in.toml:4: ")) << output;
}

TEST_F(GenerateTables, WantsASourceForEveryRowAndEveryEdge) {
  EXPECT_EQ(Run(std::string(kUsual) + "[[library]]\nname = \"x\"\nfamily = \"cuda\"\ntitle = \"X\"\nsonames "
                                      "= [\"libx.so\"]\nsource = \"\"\n"),
            Result(1, "in.toml:9: 'source' must be a text that is not empty\n"));
  EXPECT_EQ(Run(OneLibrary("[[library.opens]]\noptional = true\nnames = [\"liby.so\"]\n")),
            Result(1, "in.toml:10: 'source' is missing\n"));
}

TEST_F(GenerateTables, RefusesKeysAndFamiliesThatItDoesNotKnow) {
  EXPECT_EQ(Run(OneLibrary("soname = \"libx.so\"\n")), Result(1, "in.toml:10: unknown key 'soname'\n"));
  std::string text = OneLibrary("");
  text.replace(text.find("\"cuda\""), 6, "\"cuda1\"");
  EXPECT_EQ(Run(text), Result(1, "in.toml:4: unknown family \"cuda1\"\n"));
}

TEST_F(GenerateTables, RefusesASonameTwice) {
  EXPECT_EQ(Run(OneLibrary(OneLibrary("").substr(std::string(kUsual).size()))),
            Result(1, "in.toml:10: \"libx.so.1\" stands already in line 4\n"));
}

TEST_F(GenerateTables, RefusesSonamesOfAnotherLibraryOrShape) {
  std::string text = OneLibrary("");
  text.replace(text.find("libx.so.1"), 9, "libz.so.1");
  EXPECT_EQ(Run(text), Result(1, "in.toml:4: \"libz.so.1\" does not begin with libx.so\n"));
  text.replace(text.find("libz.so.1"), 9, "libx.so.a");
  EXPECT_EQ(Run(text), Result(1, "in.toml:4: \"libx.so.a\" does not look like lib*.so or lib*.so.NUMBERS\n"));
}

TEST_F(GenerateTables, RefusesPlaceholdersThatItDoesNotKnow) {
  EXPECT_EQ(Run(OneEdge("names = [\"liby.so.{micro}\"]\n")),
            Result(1, "in.toml:10: unknown placeholder {micro} in \"liby.so.{micro}\"\n"));
  EXPECT_EQ(Run(OneEdge("names = [\"liby.so.{major\"]\n")),
            Result(1, "in.toml:10: stray brace in \"liby.so.{major\"\n"));
}

TEST_F(GenerateTables, RefusesALibraryThatOpensItself) {
  EXPECT_EQ(Run(OneEdge("names = [\"libx.so.{major}\"]\n")), Result(1, "in.toml:10: x opens itself\n"));
}

TEST_F(GenerateTables, RefusesAnEmptySpanOfVersions) {
  EXPECT_EQ(Run(OneEdge("names = [\"liby.so\"]\nsince = \"9.10\"\nuntil = \"9.9\"\n")),
            Result(1, "in.toml:10: since 9.10 is not before until 9.9\n"));
}

TEST_F(GenerateTables, RefusesASiblingThatIsNoOtherLibrary) {
  EXPECT_EQ(Run(OneLibrary("version_siblings = [\"libx.so.1\"]\n")),
            Result(1, "in.toml:4: sibling \"libx.so.1\" is not the soname of another library\n"));
}

TEST_F(GenerateTables, WantsDllsToLookLikeOnesAndToStandOnce) {
  EXPECT_EQ(Run(OneLibrary("dlls = [\"x64_1.dll\", \"X64_1.dll\"]\n")),
            Result(1, "in.toml:4: \"X64_1.dll\" stands already in line 4\n"));
  EXPECT_EQ(Run(OneLibrary("dlls = [\"x64\"]\n")), Result(1, "in.toml:4: \"x64\" is no name of a DLL\n"));
  EXPECT_EQ(Run(OneLibrary("dlls = [\"x*_*.dll\"]\n")),
            Result(1, "in.toml:4: \"x*_*.dll\" is no name of a DLL\n"));
}

TEST_F(GenerateTables, ChecksWhatDllsOpen) {
  const std::string edge = "[[library.opens_windows]]\noptional = true\nsource = \"s\"\n";
  EXPECT_EQ(
      Run(OneLibrary("dlls = [\"x_*.dll\"]\n" + edge + "names = [\"y_{cuda}.dll\"]\nsearch = \"altered\"\n")),
      Result(0, ""));
  EXPECT_EQ(Run(OneLibrary("dlls = [\"x.dll\"]\n" + edge + "names = [\"x.dll\"]\n")),
            Result(1, "in.toml:11: x opens itself\n"));
  EXPECT_EQ(Run(OneLibrary("dlls = [\"x.dll\"]\n" + edge + "names = [\"liby.so\"]\n")),
            Result(1, "in.toml:11: \"liby.so\" is no name of a library\n"));
  EXPECT_EQ(Run(OneLibrary("dlls = [\"x.dll\"]\n" + edge + "names = [\"y.dll\"]\nsearch = \"everywhere\"\n")),
            Result(1, "in.toml:11: unknown search \"everywhere\"\n"));
  EXPECT_EQ(Run(OneLibrary(edge + "names = [\"y.dll\"]\n")),
            Result(1, "in.toml:4: x opens DLLs and has none itself\n"));
}

TEST_F(GenerateTables, ReportsEveryMistakeAtOnce) {
  EXPECT_EQ(Run(OneEdge("names = [\"y\", \"liby.so.{a}\"]\n")),
            Result(1,
                   "in.toml:10: \"y\" is no name of a library\n"
                   "in.toml:10: unknown placeholder {a} in \"liby.so.{a}\"\n"));
}

// --- Flat files; host_compilers is as good as any.

class GenerateRows : public GenerateTables {
 protected:
  // An nvcc row on line 1, with the given lines added, and what else the file must have.
  Result RunRow(const std::string& lines, const std::string& source = "source = \"s\"\n") {
    return Run("[[nvcc]]\ncuda = \"12.4\"\n" + source + lines +
                   "[[header]]\ncuda = \"12.4.0\"\npackage = \"p\"\nversion = \"1\"\ngcc_max = 13\n"
                   "clang_max = 17\nmsvc_min = 1910\nmsvc_below = 1950\nsource = \"s\"\n"
                   "[[msc_ver]]\nfirst = 1900\nlast = 1900\nvisual_studio = \"2015\"\nsource = \"s\"\n",
               "host_compilers");
  }
};

TEST_F(GenerateRows, WritesTheTablesOfASoundFile) {
  EXPECT_EQ(RunRow("gcc_max = \"13.2\"\nmsvc_min = 1910\n"), Result(0, ""));
  EXPECT_TRUE(fs::exists(directory_ / "out.cc"));
}

TEST_F(GenerateRows, WantsASource) {
  EXPECT_EQ(RunRow("", ""), Result(1, "in.toml:1: 'source' is missing\n"));
  EXPECT_EQ(RunRow("", "source = \"\"\n"),
            Result(1, "in.toml:3: 'source' must be a text that is not empty\n"));
}

TEST_F(GenerateRows, RefusesWhatIsNoVersion) {
  EXPECT_EQ(RunRow("gcc_max = \"13.x\"\n"), Result(1, "in.toml:1: \"13.x\" in 'gcc_max' is no version\n"));
}

TEST_F(GenerateRows, RefusesWrongTypesAndUnknownKeys) {
  EXPECT_EQ(RunRow("msvc_min = \"1910\"\n"), Result(1, "in.toml:4: 'msvc_min' must be a whole number\n"));
  EXPECT_EQ(RunRow("msvc_min = -1\n"), Result(1, "in.toml:1: 'msvc_min' is out of range\n"));
  EXPECT_EQ(RunRow("gcc = \"13\"\n"), Result(1, "in.toml:4: unknown key 'gcc'\n"));
}

TEST_F(GenerateRows, RefusesAKeyTwice) {
  EXPECT_EQ(RunRow("[[nvcc]]\ncuda = \"12.4\"\nsource = \"s\"\n"),
            Result(1, "in.toml:4: cuda = \"12.4\" is already in in.toml:1\n"));
}

TEST_F(GenerateRows, RefusesWhatIsNoDay) {
  const std::string rows =
      "distribution = [{package = \"x\", version = \"1\", platform = \"any\", source = \"s\"}]\n";
  EXPECT_EQ(Run("harvest = [{date = \"2026-11-15\", source = \"s\"}]\n" + rows, "distributions"),
            Result(0, ""));
  EXPECT_EQ(Run("harvest = [{date = \"2026-13-15\", source = \"s\"}]\n" + rows, "distributions"),
            Result(1, "in.toml:1: \"2026-13-15\" in 'date' is no day\n"));
}

TEST_F(GenerateRows, WantsEveryTable) {
  EXPECT_EQ(Run("", "host_compilers").second,
            "in.toml:1: 'nvcc' is missing\nin.toml:1: 'header' is missing\n"
            "in.toml:1: 'msc_ver' is missing\n");
}

// --- Symptoms.

class GenerateExplain : public GenerateTables {
 protected:
  // A cause on line 1, a symptom on line 6, a pattern on line 9, and the given lines.
  Result RunSymptom(const std::string& lines) {
    return Run(
        "[[cause]]\nslug = \"c\"\ntitle = \"t\"\ncheck = \"c\"\nfix = \"f\"\n"
        "[[symptom]]\nname = \"s\"\nsubject = \"gpu\"\n"
        "[[symptom.pattern]]\nid = \"p\"\nmatch = \"seven letters\"\nexamples = [\"seven letters\"]\n" +
            lines,
        "explain");
  }
};

TEST_F(GenerateExplain, WritesTheTablesOfASoundFile) {
  EXPECT_EQ(RunSymptom("[[symptom.when]]\ncauses = { c = 60 }\nadvice = { c = \"a\" }\n"
                       "[[advice]]\nname = \"a\"\nsays = \"s\"\n"),
            Result(0, ""));
  EXPECT_TRUE(fs::exists(directory_ / "out.cc"));
}

TEST_F(GenerateExplain, RefusesCausesAndAdviceThatAreNotThere) {
  EXPECT_EQ(RunSymptom("[[symptom.when]]\ncauses = { d = 60 }\n"),
            Result(1, "in.toml:13: 'cause' does not know the word \"d\"\n"));
  EXPECT_EQ(RunSymptom("[[symptom.when]]\ncauses = { c = 60 }\nadvice = { c = \"a\" }\n"),
            Result(1, "in.toml:13: 'advice' does not know the word \"a\"\n"));
  EXPECT_EQ(RunSymptom("[[symptom.when]]\ncauses = { c = 101 }\n"),
            Result(1, "in.toml:13: 'weight' is out of range\n"));
}

TEST_F(GenerateExplain, RefusesAdviceThatNothingUses) {
  const std::string advice = "[[advice]]\nname = \"a\"\nsays = \"s\"\n";
  EXPECT_EQ(RunSymptom(advice), Result(1, "in.toml:13: nothing uses the advice \"a\"\n"));
  EXPECT_EQ(RunSymptom("[[symptom.when]]\ncauses = { c = 60 }\nadvice = { d = \"a\" }\n" + advice),
            Result(1, "in.toml:15: unknown key 'd'\nin.toml:16: nothing uses the advice \"a\"\n"));
}

TEST_F(GenerateExplain, RefusesASymptomTwice) {
  EXPECT_EQ(RunSymptom("[[symptom]]\nname = \"s\"\nsubject = \"gpu\"\n[[symptom.pattern]]\nid = \"q\"\n"
                       "match = \"seven letters\"\nexamples = [\"seven letters\"]\n"),
            Result(1, "in.toml:13: the symptom \"s\" is already in in.toml:6\n"));
}

TEST_F(GenerateExplain, WantsASubjectOfTheListAndAnExample) {
  EXPECT_EQ(RunSymptom("[[symptom]]\nname = \"t\"\nsubject = \"moon\"\n[[symptom.pattern]]\nid = \"q\"\n"
                       "match = \"seven letters\"\n"),
            Result(1,
                   "in.toml:16: 'subject' does not know the word \"moon\"\n"
                   "in.toml:16: 'examples' is missing\n"));
}

TEST_F(GenerateRows, KnowsItsSubjectsAlone) {
  EXPECT_EQ(Run("", "nothing"), Result(64, "generate_tables: there is no subject 'nothing'\n"));
}

}  // namespace
}  // namespace culprit::knowledge
