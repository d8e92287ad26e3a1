// culprit: one table of commands, and nothing else.
#include <fmt/format.h>

#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/product_version.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/tables_file.h"

namespace culprit::cli {
namespace {

constexpr std::array kCommands = {
    Command{"check",
            "find what is wrong with the CUDA stack of this machine, a program, environment, image or wheel",
            RunCheck},
    Command{"probe",
            "test each layer on the real GPU: driver, memory, kernels, cuBLAS, every cuDNN, frameworks",
            RunProbe},
    Command{"why", "show which file is loaded for a library name, and why; or everything a program loads",
            RunWhy},
    Command{"inspect", "show what a binary contains and needs: versions, dependencies, GPU code", RunInspect},
    Command{"explain", "find the causes behind a log or an error message; or show the page of a code",
            RunExplain},
    Command{"run", "run a command, watch it, and explain why it fails", RunRun},
    Command{"rules", "list everything that check looks for", RunRules},
    Command{"plan", "find versions that work with this driver and GPU, and the commands to install them",
            RunPlan},
    Command{"fix", "show a verified fix for each finding; apply it, undo it", RunFix},
    Command{"compat", "tell whether versions of CUDA, cuDNN, driver, GPU and frameworks work together",
            RunCompat},
    Command{"snapshot", "save this machine to a file, to check it elsewhere", RunSnapshot},
    Command{"diff", "show what changed between two snapshots, most likely cause first", RunDiff},
    Command{"fleet", "compare many nodes: what is wrong where, which have the same stack, which are odd",
            RunFleet},
    Command{"knowledge", "show which tables of facts are used and how old they are; save them to a file",
            RunKnowledge},
    Command{"bug-report", "write one file with what a maintainer needs to know", RunBugReport},
    Command{"mcp", "serve agents over the Model Context Protocol, on standard input and output", RunMcp},
    Command{"completions", "print the completion script for bash, zsh, fish or PowerShell", RunCompletions},
};

std::string Help() {
  std::string help = fmt::format(
      "culprit {} finds what is wrong with a CUDA/cuDNN stack and proves it. check only reads; it "
      "runs nothing it finds.\n\n"
      "usage: culprit [COMMAND] [OPTIONS]     without a command: check\n\n",
      base::ProductVersion());
  for (const Command& command : kCommands)
    help += fmt::format("  {:<12} {}\n", command.name, command.summary);
  return help +
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
         "exit status: 0 nothing wrong, 1 a problem was found, 2 could not check, 64 wrong usage\n";
}

int Main(int argc, const char* const* argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h" || name == "help") return Print(Help());
  if (name == "--version" && argc == 2) return Print(fmt::format("culprit {}\n", base::ProductVersion()));
  UseNewestTables();
  if (name == "--version") return RunVersion(argc - 1, argv + 1);
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run(argc - 1, argv + 1);
  }
  if (name.empty() || name.starts_with('-')) {
    std::vector<const char*> arguments(argv, argv + argc);
    arguments.front() = "check";
    return RunCheck(argc, arguments.data());
  }
  Say("culprit: unknown command '{}'\n  try: culprit --help\n", base::Printable(name));
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
  } catch (const std::exception& error) {  // a bug
    culprit::cli::Say("culprit: internal error: {}\n", error.what());
    return culprit::cli::kExitCannot;
  }
}
