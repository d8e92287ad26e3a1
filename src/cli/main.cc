// culprit: one table of commands, and nothing else.
#include <fmt/format.h>

#include <array>
#include <exception>
#include <string_view>

#include "cli/command.h"

namespace culprit::cli {
namespace {

constexpr std::array kCommands = {
    Command{"why", "which file is loaded under a name, and why; or the whole load as a tree", RunWhy},
    Command{"inspect", "every static fact of a binary", RunInspect},
    Command{"compat", "whether versions of CUDA, cuDNN, driver, GPU and frameworks go together", RunCompat},
    Command{"snapshot", "this machine as one file, to ask questions of it elsewhere", RunSnapshot},
    Command{"completions", "completion script for bash, zsh or fish", RunCompletions},
};

void PrintHelp(FILE* out) {
  fmt::print(
      out,
      "culprit {} finds what is wrong with a CUDA/cuDNN stack and proves it. Looking executes nothing.\n\n"
      "usage: culprit COMMAND [OPTIONS]\n\n",
      CULPRIT_VERSION);
  for (const Command& command : kCommands) fmt::print(out, "  {:<12} {}\n", command.name, command.summary);
  fmt::print(out,
             "\n  culprit COMMAND --help   options and examples\n\n"
             "examples:\n"
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
    fmt::print("culprit {}\n", CULPRIT_VERSION);
    return kExitOk;
  }
  for (const Command& command : kCommands) {
    if (command.name == name) return command.run(argc - 1, argv + 1);
  }
  if (name.empty()) {
    PrintHelp(stderr);
  } else {
    fmt::print(stderr, "culprit: there is no command '{}'\n  try: culprit --help\n", name);
  }
  return kExitUsage;
}

}  // namespace
}  // namespace culprit::cli

int main(int argc, char** argv) {
  try {
    return culprit::cli::Main(argc, argv);
  } catch (const std::exception& error) {  // a bug, told as one
    fmt::print(stderr, "culprit: internal error: {}\n", error.what());
    return culprit::cli::kExitCannot;
  }
}
