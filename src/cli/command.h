// A sub-command: one file each, listed in one table in main.cc.
#pragma once

#include <string_view>
#include <vector>

#include "cli/command_line.h"

namespace culprit::cli {

// Exit status. Scripts rely on it.
inline constexpr int kExitOk = 0;      // nothing wrong
inline constexpr int kExitFound = 1;   // a culprit was found
inline constexpr int kExitCannot = 2;  // could not look, or the input is bad
inline constexpr int kExitUsage = 64;  // wrong usage

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(int argc, const char* const* argv);  // argv[0] is the command's name
};

// What each command declares, in the order of the help.
std::vector<Declaration> DeclaredCommands();

int RunCheck(int argc, const char* const* argv);
int RunProbe(int argc, const char* const* argv);
int RunRun(int argc, const char* const* argv);
int RunExplain(int argc, const char* const* argv);
int RunRules(int argc, const char* const* argv);
int RunWhy(int argc, const char* const* argv);
int RunInspect(int argc, const char* const* argv);
int RunFix(int argc, const char* const* argv);
int RunSnapshot(int argc, const char* const* argv);
int RunFleet(int argc, const char* const* argv);
int RunDiff(int argc, const char* const* argv);
int RunPlan(int argc, const char* const* argv);
int RunCompat(int argc, const char* const* argv);
int RunKnowledge(int argc, const char* const* argv);
int RunBugReport(int argc, const char* const* argv);
int RunMcp(int argc, const char* const* argv);
int RunVersion(int argc, const char* const* argv);
int RunCompletions(int argc, const char* const* argv);

}  // namespace culprit::cli
