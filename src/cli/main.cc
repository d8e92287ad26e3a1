// culprit: one table of commands, and nothing else.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/product_version.h"
#include "cli/command.h"
#include "cli/console.h"

namespace culprit::cli {
namespace {

constexpr std::array kCommands = {
    Command{"check", "what is wrong with the CUDA stack here, or of a program, environment, image or wheel",
            RunCheck},
    Command{"probe",
            "each layer proved on the real GPU: driver, memory, kernels, cuBLAS, every cuDNN, frameworks",
            RunProbe},
    Command{"why", "which file is loaded under a name, and why; or the whole load as a tree", RunWhy},
    Command{"inspect", "every static fact of a binary", RunInspect},
    Command{"explain", "the causes behind a log or an error message, best first; or the page of a code",
            RunExplain},
    Command{"run", "runs a command, watches it, and explains why it fails", RunRun},
    Command{"rules", "everything that check looks for", RunRules},
    Command{"plan", "a set of versions that fits this driver and GPU, and the commands that install it",
            RunPlan},
    Command{"fix",
            "the fix of each finding, shown to work before anything is touched; carried out, and undone",
            RunFix},
    Command{"compat", "whether versions of CUDA, cuDNN, driver, GPU and frameworks go together", RunCompat},
    Command{"snapshot", "this machine as one file, to ask questions of it elsewhere", RunSnapshot},
    Command{"diff", "what changed between two snapshots, the likeliest to matter first", RunDiff},
    Command{"completions", "completion script for bash, zsh or fish", RunCompletions},
};

void PrintHelp(FILE* out) {
  fmt::print(
      out,
      "culprit {} finds what is wrong with a CUDA/cuDNN stack and proves it. Looking executes nothing.\n\n"
      "usage: culprit [COMMAND] [OPTIONS]     without a command: check\n\n",
      base::ProductVersion());
  for (const Command& command : kCommands) fmt::print(out, "  {:<12} {}\n", command.name, command.summary);
  fmt::print(out,
             "\n  culprit COMMAND --help   options and examples\n\n"
             "examples:\n"
             "  culprit\n"
             "  culprit probe\n"
             "  python train.py 2>&1 | culprit explain\n"
             "  culprit check .venv --host driver=535.104.05,gpu=sm_90\n"
             "  culprit plan torch --host driver=470.82,gpu=sm_37\n"
             "  culprit fix --apply\n"
             "  culprit why libcudnn.so.9 --for .venv/bin/python3\n"
             "  culprit why --for /usr/local/cuda/lib64/libcusolver.so\n"
             "  culprit inspect libcudnn_graph.so.9\n\n"
             "exit status: 0 nothing wrong, 1 a culprit was found, 2 could not look, 64 wrong usage\n");
}

int Main(int argc, const char* const* argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h" || name == "help") {
    PrintHelp(stdout);
    return kExitOk;
  }
  if (name == "--version") {
    fmt::print("culprit {}\n", base::ProductVersion());
    return kExitOk;
  }
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run(argc - 1, argv + 1);
  }
  if (name.empty() || name.starts_with('-')) {
    std::vector<const char*> arguments(argv, argv + argc);
    arguments.front() = "check";
    return RunCheck(argc, arguments.data());
  }
  fmt::print(stderr, "culprit: there is no command '{}'\n  try: culprit --help\n", name);
  return kExitUsage;
}

}  // namespace

std::vector<Declaration> DeclaredCommands() {
  std::vector<Declaration> declared;
  for (const Command& command : kCommands)
    declared.push_back(CommandLine::DeclaredBy(command.run, std::string(command.name)));
  return declared;
}

}  // namespace culprit::cli

int main(int argc, char** argv) {
  try {
    culprit::cli::PrepareConsole();
    const std::vector<std::string> arguments = culprit::cli::Arguments(argc, argv);
    std::vector<const char*> texts;
    for (const std::string& argument : arguments) texts.push_back(argument.c_str());
    return culprit::cli::Main(static_cast<int>(texts.size()), texts.data());
  } catch (const std::exception& error) {  // a bug, told as one
    fmt::print(stderr, "culprit: internal error: {}\n", error.what());
    return culprit::cli::kExitCannot;
  }
}
