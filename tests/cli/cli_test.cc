// The program as a user meets it: arguments in, bytes and exit status out, on a made-up root file system.
// What it prints is compared to the letter with tests/cli/golden; `tools/update-golden` writes those files
// anew.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "binfmt/testing/elf_builder.h"
#include "binfmt/testing/fatbin_builder.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;
using binfmt::testing::BuildElf;
using binfmt::testing::BuildFatbin;
using binfmt::testing::BuildSections;
using binfmt::testing::ElfSpec;

constexpr const char* kLoader = "/lib64/ld-linux-x86-64.so.2";

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void WriteFile(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Output {
  int status;
  std::string out;
  std::string err;
};

// An image with an application, a bundled cuDNN 9.19 and a system cuDNN 9.14.
class Cli : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "culprit-cli-XXXXXX").string();
    top_ = fs::canonical(mkdtemp(pattern.data()));
    root_ = top_ / "root";
    std::string loader = BuildElf({.soname = "ld-linux-x86-64.so.2"});
    for (const char* text : {"", "/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib/", "/usr/lib/",
                             "lib/x86_64-linux-gnu", "ld.so (made up) stable release version 2.39.\n"}) {
      loader += std::string(text) + '\0';
    }
    WriteFile(root_ / "lib64/ld-linux-x86-64.so.2", loader);
    Add("/usr/lib/x86_64-linux-gnu/libc.so.6", {.soname = "libc.so.6", .version_defs = {"GLIBC_2.2.5"}});
    Add("/usr/lib/x86_64-linux-gnu/libz.so.1", {.soname = "libz.so.1", .needed = {"libc.so.6"}});
    AddCudnn("/usr/lib/x86_64-linux-gnu", 14);
    AddCudnn("/app/lib", 19);
    Add("/app/train",
        {.needed = {"libengine.so", "libc.so.6"}, .rpath = "$ORIGIN/lib", .interpreter = kLoader});
    Add("/app/lib/libengine.so", {.soname = "libengine.so", .needed = {"libcudnn.so.9", "libz.so.1"}});
    Add("/app/broken",
        {.needed = {"libengine.so", "libnowhere.so.3"}, .rpath = "/app/lib", .interpreter = kLoader});
    WriteFile(root_ / "app/notes.txt", "not a library\n" + std::string(100, 'x'));
    WriteFile(root_ / "app/empty.so", "");
    const std::string whole = BuildElf({.soname = "libcut.so"});
    WriteFile(root_ / "app/cut.so", whole.substr(0, whole.size() - 8));
    WriteGpuCode();
    fs::create_symlink("nowhere", root_ / "app/dangling.so");
    mkfifo((root_ / "app/fifo.so").c_str(), 0600);
    WriteFile(top_ / "shadow.env", "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu\n");
    WriteFile(top_ / "bad.env", "LD_LIBRARY_PATH\n");
  }
  void TearDown() override { fs::remove_all(top_); }

  void Add(const std::string& path, const ElfSpec& spec) { WriteFile(root_.string() + path, BuildElf(spec)); }
  // A library with code in the usual section and in its data, a container by itself, a damaged one.
  void WriteGpuCode() {
    const std::string linked = BuildFatbin({.entries = {{.arch = 80},
                                                        {.arch = 90, .flags = binfmt::testing::kArchSpecific},
                                                        {.kind = 1, .arch = 90, .major = 8, .minor = 4}}});
    const std::string data = BuildFatbin({.entries = {{.kind = 8, .arch = 75}}});
    WriteFile(root_ / "app/kernels.so",
              BuildSections({.sections = {{".nv_fatbin", linked + linked}, {".data", data}}}));
    WriteFile(root_ / "app/kernels.fatbin", linked);
    WriteFile(root_ / "app/cut.fatbin", linked.substr(0, 120));
  }
  void AddCudnn(const std::string& directory, uint32_t minor) {
    const auto part = [&](const std::string& stem, std::vector<std::string> needed) {
      const std::string name = "lib" + stem + ".so.9";
      ElfSpec spec{.soname = name, .needed = std::move(needed), .runpath = "$ORIGIN"};
      if (stem == "cudnn_graph") spec.words = {{"cudnn_graph_version", 9u << 16 | minor << 8}};
      Add(directory + "/" + name, spec);
    };
    part("cudnn", {});
    part("cudnn_graph", {});
    part("cudnn_ops", {"libcudnn_graph.so.9"});
    part("cudnn_cnn", {"libcudnn_ops.so.9"});
    part("cudnn_adv", {"libcudnn_ops.so.9"});
    part("cudnn_heuristic", {"libcudnn_graph.so.9"});
    part("cudnn_engines_precompiled", {"libcudnn_graph.so.9"});
    part("cudnn_engines_runtime_compiled", {"libcudnn_graph.so.9"});
  }

  Output Run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), CULPRIT_PROGRAM);
    const fs::path out = top_ / "stdout", err = top_ / "stderr";
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(top_.c_str()) != 0) _exit(126);
      for (const auto& [path, number] : {std::pair{out, STDOUT_FILENO}, std::pair{err, STDERR_FILENO}}) {
        dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), number);
      }
      std::vector<char*> argv;
      for (std::string& argument : arguments) argv.push_back(argument.data());
      argv.push_back(nullptr);
      alarm(60);
      execv(argv[0], argv.data());
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), ReadFile(out), ReadFile(err)};
  }

  // What it prints equals the file tests/cli/golden/NAME.
  void ExpectGolden(const std::string& name, const std::vector<std::string>& arguments, int status) const {
    const Output output = Run(arguments);
    EXPECT_EQ(output.status, status) << output.err;
    std::string text = output.out;
    if (!output.err.empty()) text += "--- stderr\n" + output.err;
    for (size_t at; (at = text.find(top_.string())) != std::string::npos;)
      text.replace(at, top_.string().size(), "TOP");
    const fs::path golden = fs::path(CULPRIT_GOLDEN) / name;
    if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) WriteFile(golden, text);
    EXPECT_EQ(text, ReadFile(golden)) << "tools/update-golden writes it anew";
  }

  fs::path top_;
  fs::path root_;
};

TEST_F(Cli, Help) { ExpectGolden("help.txt", {"--help"}, 0); }
TEST_F(Cli, HelpOfWhy) { ExpectGolden("why_help.txt", {"why", "--help"}, 0); }
TEST_F(Cli, UnknownCommandIsWrongUsage) { ExpectGolden("unknown_command.txt", {"frobnicate"}, 64); }
TEST_F(Cli, WhyWithoutAQuestionIsWrongUsage) { ExpectGolden("why_nothing.txt", {"why"}, 64); }
TEST_F(Cli, UnknownFormatIsWrongUsage) {
  EXPECT_EQ(Run({"why", "--for", "/x", "--format", "xml"}).status, 64);
}
TEST_F(Cli, UnknownOptionIsWrongUsage) { EXPECT_EQ(Run({"inspect", "--frob", "x"}).status, 64); }

TEST_F(Cli, HelpOfCompat) { ExpectGolden("compat_help.txt", {"compat", "--help"}, 0); }
TEST_F(Cli, CompatYes) {
  ExpectGolden("compat_yes.txt", {"compat", "cudnn=9.5", "cuda=12.4", "driver=535", "gpu=sm_61"}, 0);
}
TEST_F(Cli, CompatNoAsJson) {
  ExpectGolden("compat_no.json", {"compat", "torch=2.5.1+cu124", "gpu=RTX 5090", "--format", "json"}, 1);
}
TEST_F(Cli, CompatUnknown) {
  ExpectGolden("compat_unknown.txt", {"compat", "cuda=14.0", "driver=580.65.06"}, 2);
}
TEST_F(Cli, CompatWrongUsage) { ExpectGolden("compat_wrong.txt", {"compat", "cuda"}, 64); }

TEST_F(Cli, WhyALibrary) {
  ExpectGolden("why_library.txt", {"why", "libcudnn.so.9", "--for", "/app/train", "--root", "root"}, 0);
}
TEST_F(Cli, WhyALibraryAsJson) {
  ExpectGolden("why_library.json",
               {"why", "libcudnn_graph.so.9", "--for", "/app/train", "--root", "root", "--format", "json"},
               0);
}
TEST_F(Cli, WhyALibraryThatLdLibraryPathShadows) {
  ExpectGolden("why_shadowed.txt",
               {"why", "libcudnn_graph.so.9", "--for", "/app/train", "--root", "root", "--env", "shadow.env"},
               0);
}
TEST_F(Cli, WhyTheWholeLoad) {
  ExpectGolden("why_load.txt", {"why", "--for", "/app/train", "--root", "root"}, 0);
}
TEST_F(Cli, WhyTheWholeLoadMarksMixedParts) {
  ExpectGolden("why_mixed.txt", {"why", "--for", "/app/train", "--root", "root", "--env", "shadow.env"}, 0);
}
TEST_F(Cli, WhyTheWholeLoadAsJson) {
  ExpectGolden("why_load.json", {"why", "--for", "/app/train", "--root", "root", "--format", "json"}, 0);
}
TEST_F(Cli, WhyTheWholeLoadAsMarkdown) {
  ExpectGolden("why_load.md", {"why", "--for", "/app/train", "--root", "root", "--format", "markdown"}, 0);
}
TEST_F(Cli, WhyTheWholeLoadAsDot) {
  ExpectGolden("why_load.dot", {"why", "--for", "/app/train", "--root", "root", "--dot"}, 0);
}
TEST_F(Cli, WhySomethingIsMissing) {
  ExpectGolden("why_missing.txt", {"why", "--for", "/app/broken", "--root", "root"}, 1);
}
TEST_F(Cli, WhyALibraryThatIsNowhere) {
  ExpectGolden("why_nowhere.txt", {"why", "libnowhere.so.3", "--for", "/app/broken", "--root", "root"}, 1);
}
TEST_F(Cli, ATargetThatIsNotThereCannotBeLookedAt) {
  ExpectGolden("why_no_target.txt", {"why", "--for", "/app/none", "--root", "root"}, 2);
}
TEST_F(Cli, ATargetThatIsTextCannotBeLookedAt) {
  ExpectGolden("why_text_target.txt", {"why", "--for", "/app/notes.txt", "--root", "root"}, 2);
}
TEST_F(Cli, AnEnvironmentFileThatIsNoneIsRejected) {
  ExpectGolden("why_bad_env.txt", {"why", "--for", "/app/train", "--root", "root", "--env", "bad.env"}, 2);
}
TEST_F(Cli, ARootThatIsNotThereIsRejected) {
  ExpectGolden("why_bad_root.txt", {"why", "--for", "/app/train", "--root", "none"}, 2);
}

TEST_F(Cli, Inspect) {
  ExpectGolden("inspect.txt", {"inspect", "--root", "root", "/app/lib/libcudnn_graph.so.9"}, 0);
}
TEST_F(Cli, InspectAsJson) {
  ExpectGolden("inspect.json",
               {"inspect", "--root", "root", "--format", "json", "/app/train", "/app/lib/libcudnn.so.9"}, 0);
}
TEST_F(Cli, InspectTellsTheGpuCode) {
  ExpectGolden("inspect_gpu_code.txt",
               {"inspect", "--root", "root", "/app/kernels.so", "/app/kernels.fatbin"}, 0);
  ExpectGolden("inspect_gpu_code.json",
               {"inspect", "--root", "root", "--format", "json", "/app/kernels.so", "/app/kernels.fatbin"},
               0);
}

TEST_F(Cli, InspectSeesThatAFileIsCutShort) {
  ExpectGolden("inspect_cut_fatbin.txt", {"inspect", "--root", "root", "/app/cut.fatbin"}, 1);
  ExpectGolden("inspect_cut.txt", {"inspect", "--root", "root", "/app/cut.so"}, 1);
}
TEST_F(Cli, InspectNamesWhatItCannotRead) {
  ExpectGolden("inspect_bad.txt",
               {"inspect", "--root", "root", "/app/notes.txt", "/app/empty.so", "/app/dangling.so",
                "/app/fifo.so", "/app", "/none"},
               2);
}

TEST_F(Cli, ASnapshotGivesTheSameAnswer) {
  ASSERT_EQ(Run({"snapshot", "--root", "root", "-o", "machine.json", "/app/train", "/app/broken"}).status, 0);
  for (const std::vector<std::string>& question : {std::vector<std::string>{"why", "--for", "/app/train"},
                                                   {"why", "libcudnn_ops.so.9", "--for", "/app/train"},
                                                   {"why", "--for", "/app/broken"},
                                                   {"why", "libz.so.1"}}) {
    auto live = question, recorded = question;
    for (const char* more : {"--format", "json", "--root", "root"}) live.emplace_back(more);
    for (const char* more : {"--format", "json", "--snapshot", "machine.json"}) recorded.emplace_back(more);
    const Output a = Run(live), b = Run(recorded);
    EXPECT_EQ(a.out, b.out) << question.back();
    EXPECT_EQ(a.status, b.status) << question.back();
  }
}
TEST_F(Cli, ASnapshotThatDoesNotKnowSaysSo) {
  ASSERT_EQ(Run({"snapshot", "--root", "root", "-o", "machine.json"}).status, 0);
  ExpectGolden("why_not_recorded.txt", {"why", "--for", "/app/train", "--snapshot", "machine.json"}, 2);
}
TEST_F(Cli, AFileThatIsNoSnapshotIsRejected) {
  ExpectGolden("why_bad_snapshot.txt", {"why", "--for", "/x", "--snapshot", "shadow.env"}, 2);
}
TEST_F(Cli, AnAnswerGoesToAFile) {
  EXPECT_EQ(
      Run({"why", "--for", "/app/train", "--root", "root", "--format", "json", "-o", "answer.json"}).out, "");
  EXPECT_EQ(base::Json::parse(ReadFile(top_ / "answer.json"))["schema"], "culprit.why/1");
}
TEST_F(Cli, AnUnwritableFileIsTold) {
  EXPECT_EQ(Run({"why", "--for", "/app/train", "--root", "root", "-o", "no/such/dir/x"}).status, 2);
}
TEST_F(Cli, ControlCharactersOfFileNamesDoNotReachTheTerminal) {
  Add("/app/evil\x1b[31m", {.needed = {"lib\x07.so"}, .interpreter = kLoader});
  const Output output = Run({"why", "--for", "/app/evil\x1b[31m", "--root", "root"});
  EXPECT_EQ(output.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(output.out.find('\x07'), std::string::npos);
  EXPECT_EQ(output.status, 1);
}

}  // namespace
}  // namespace culprit
