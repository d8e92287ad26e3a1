// The commands that answer a question about files, on a made-up root file system.
#include <gtest/gtest.h>

#include "base/json.h"
#include "binfmt/elf/write_sections.h"
#include "binfmt/gpu/write_fatbin.h"
#include "binfmt/pe/write.h"
#include "made_up_root.h"

namespace culprit {
namespace {

TEST_F(Cli, Help) { ExpectGolden("help.txt", {"--help"}, 0); }
TEST_F(Cli, HelpOfWhy) { ExpectGolden("why_help.txt", {"why", "--help"}, 0); }
TEST_F(Cli, UnknownCommandIsWrongUsage) { ExpectGolden("unknown_command.txt", {"frobnicate"}, 64); }
TEST_F(Cli, WhyWithoutAQuestionIsWrongUsage) { ExpectGolden("why_nothing.txt", {"why"}, 64); }
TEST_F(Cli, UnknownFormatIsWrongUsage) {
  EXPECT_EQ(Run({"why", "--for", "/x", "--format", "xml"}).status, 64);
}
TEST_F(Cli, UnknownOptionIsWrongUsage) { EXPECT_EQ(Run({"inspect", "--frob", "x"}).status, 64); }

TEST_F(Cli, OneOptionCanBeWrittenInManyWays) {
  const Output plain = Run({"why", "--for", "/app/train", "--root", "root", "--all", "--quiet"});
  EXPECT_EQ(plain.status, 0);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"why", "--for=/app/train", "--root=root", "-vq"},
        {"why", "-qv", "--root", "root", "--for", "/app/train", "--"},
        {"why", "--all=yes", "--root", "root", "--for", "/app/train"},
        {"why", "--all", "--no-dlopen=off", "--root", "root", "--for", "/app/train"}}) {
    const Output output = Run(arguments);
    EXPECT_EQ(output.status, 0) << output.err;
    EXPECT_EQ(output.out, plain.out);
  }
}

TEST_F(Cli, AProgramCanBeNamedAsInAShell) {
  WriteFile(top_ / "path.env", "PATH=/nowhere:/app\n");
  std::filesystem::permissions(top_ / "root/app/train", std::filesystem::perms::owner_all);
  const Output named = Run({"why", "--for", "train", "--root", "root", "--env", "path.env"});
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(named.out, Run({"why", "--for", "/app/train", "--root", "root", "--env", "path.env"}).out);
  EXPECT_EQ(Run({"why", "--for", "trains", "--root", "root", "--env", "path.env"}).status, 2);
}

TEST_F(Cli, AWrongOptionIsNamed) {
  struct {
    std::vector<std::string> arguments;
    std::string mistake;
  } const kCases[] = {
      {{"why", "--for"}, "--for needs a value"},
      {{"why", "--for="}, "--for needs a value"},
      {{"why", "-o"}, "--output needs a value"},
      {{"why", "--for", "a", "--for", "b"}, "--for was given 2 times; it takes one value"},
      {{"why", "--all=maybe"}, "--all takes true or false, not maybe"},
      {{"why", "-vx"}, "unexpected argument: -x"},
      {{"why", "--al", "x", "y"}, "unexpected arguments: --al y"},
      {{"why", "x", "--", "--all"}, "unexpected argument: --all"},
      {{"why", "--color", "pink", "--frob"}, "--color: 'pink' is not one of auto, always, never"},
      {{"check", "--timeout", "5s"}, "--timeout takes a number from 1 to 3600, not 5s"},
      {{"inspect", "--frob"}, "FILE is required"},
  };
  for (const auto& [arguments, mistake] : kCases) {
    const Output output = Run(arguments);
    EXPECT_EQ(output.status, 64) << mistake;
    EXPECT_EQ(output.err.substr(0, output.err.find('\n')), "culprit " + arguments[0] + ": " + mistake);
  }
}

TEST_F(Cli, HelpIsShownWhateverElseIsWrong) {
  const Output help = Run({"why", "--help"});
  EXPECT_EQ(Run({"why", "--frob", "-qh", "--color", "pink"}).out, help.out);
}

TEST_F(Cli, WordsInErrorsDoNotReachTheTerminalAsTheyAre) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"\x1b[31mx\u202E"}, {"inspect", "--\x1b[31mx\u202E", "y"}}) {
    const Output output = Run(arguments);
    EXPECT_EQ(output.status, 64);
    EXPECT_NE(output.err.find("\\x1b[31mx\\u{202e}"), std::string::npos) << output.err;
    EXPECT_EQ(output.err.find_first_of("\x1b\xe2"), std::string::npos) << output.err;
  }
}

TEST_F(Cli, HelpOfProbe) { ExpectGolden("probe_help.txt", {"probe", "--help"}, 0); }
TEST_F(Cli, ProbeOfAnUnknownFrameworkIsWrongUsage) {
  ExpectGolden("probe_framework.txt", {"probe", "--framework", "caffe"}, 64);
}
TEST_F(Cli, ProbeOfADeviceThatIsNoNumberIsWrongUsage) {
  EXPECT_EQ(Run({"probe", "--device", "first"}).status, 64);
}
TEST_F(Cli, OnlyTheLivingMachineCanBeProbed) {
  EXPECT_EQ(Run({"probe", "--root", "root"}).status, 64);
  ExpectGolden("check_live_root.txt", {"check", "--live", "--root", "root"}, 64);
  EXPECT_EQ(Run({"check", "--live", "--host", "driver=580.95.05"}).status, 64);
  EXPECT_EQ(Run({"snapshot", "--live", "--root", "root"}).status, 64);
}

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
TEST_F(Cli, CompatNamesTheBuildThatFits) {
  ExpectGolden("compat_build.txt", {"compat", "torch=2.5.1", "driver=470.82.01", "gpu=8.0"}, 0);
}
TEST_F(Cli, CompatListsWhatGoesWithOneThing) {
  ExpectGolden("compat_list.txt", {"compat", "torch=2.6.0"}, 0);
  ExpectGolden("compat_list.json", {"compat", "gcc=4.9", "--format", "json"}, 0);
  ExpectGolden("compat_list.md", {"compat", "torch=2.6.0", "--format", "markdown"}, 0);
}
TEST_F(Cli, CompatKnowsNothingThatGoesWithIt) {
  ExpectGolden("compat_no_list.txt", {"compat", "cuda=99.0"}, 2);
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
TEST_F(Cli, InspectDoesNotTakeALostTableOfSectionsForNoGpuCode) {
  const std::string whole = binfmt::AddSections(BuildElf({.soname = "liblost.so"}), {{".text", "x"}});
  WriteFile(root_ / "app/lost.so", whole.substr(0, whole.size() - 8));
  ExpectGolden("inspect_lost_sections.txt", {"inspect", "--root", "root", "/app/lost.so"}, 0);
}
TEST_F(Cli, InspectReadsDllsOfWindows) {
  using binfmt::BuildFatbin;
  const binfmt::PeSpec spec = {
      .name = "kernels.dll",
      .imports = {{"KERNEL32.dll", {"Sleep"}, {}},
                  {"idle.dll", {}, {}},
                  {"cudart64_12.dll", {"cudaMalloc"}, {}}},
      .delay_imports = {{"later.dll", {"Run"}, {}}},
      .bound_imports = {"KERNEL32.dll"},
      .exports = {"Go"},
      .version =
          binfmt::PeVersionInfo{
              "1.2.3.4", "1.2.0.0", {{"ProductName", "Kernels"}, {"FileVersion", "1.2.3.4"}}},
      .manifest = "<dependentAssembly><assemblyIdentity name='Some.Assembly'/></dependentAssembly>",
      .sections = {{".nv_fatb", BuildFatbin({.entries = {{.arch = 90},
                                                         {.kind = 1, .arch = 90, .major = 8, .minor = 4}}})}},
      .overlay = "tail",
      .certificate_size = 100};
  WriteFile(root_ / "app/kernels.dll", binfmt::BuildPe(spec));
  WriteFile(root_ / "app/cut.dll", binfmt::BuildPe({.bits = 32, .exports = {"Go"}, .cut = 100}));
  ExpectGolden("inspect_dll.txt", {"inspect", "--root", "root", "/app/kernels.dll"}, 0);
  ExpectGolden("inspect_dll.json", {"inspect", "--root", "root", "--format", "json", "/app/kernels.dll"}, 0);
  ExpectGolden("inspect_cut_dll.txt", {"inspect", "--root", "root", "/app/cut.dll"}, 1);
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

// The shell completions offer every option of every command.
TEST_F(Cli, CompletionsKnowEveryOption) {
  const std::string bash = Run({"completions", "bash"}).out, fish = Run({"completions", "fish"}).out;
  const std::string powershell = Run({"completions", "powershell"}).out;
  for (const std::string command :
       {"check", "probe", "why", "inspect", "explain", "run", "rules", "plan", "fix", "snapshot", "diff"}) {
    const std::string help = Run({command, "--help"}).out;
    const size_t start = bash.find("\n    " + command + ") ");
    ASSERT_NE(start, std::string::npos) << command;
    std::string line = bash.substr(start, bash.find(";;", start) - start);
    const size_t row = powershell.find("\n    '" + command + "' = @{");
    ASSERT_NE(row, std::string::npos) << command;
    const std::string options = powershell.substr(row, powershell.find('\n', row + 1) - row);
    for (size_t at = help.find("\nOptions:"); (at = help.find("\n  -", at + 1)) != std::string::npos;) {
      const size_t dashes = help.find("--", at);
      const std::string option = help.substr(dashes, help.find_first_of(" \n", dashes) - dashes);
      EXPECT_NE((line + " ").find(option), std::string::npos) << command << " " << option << ": bash";
      EXPECT_NE(options.find("'" + option + "' = @("), std::string::npos)
          << command << " " << option << ": powershell";
      bool known = false;
      std::istringstream lines(fish);
      for (std::string one; std::getline(lines, one);) {
        const bool meant =
            one.find("__fish_seen") == std::string::npos || one.find(command) != std::string::npos;
        known |= meant && (one + " ").find(" -l " + option.substr(2) + " ") != std::string::npos;
      }
      EXPECT_TRUE(known) << command << " " << option << ": fish";
    }
  }
}

}  // namespace
}  // namespace culprit
