// culprit completions SHELL: a script for the shell to source; or the manual page.
#include "cli/completions/completions.h"

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"

namespace culprit::cli {

int RunCompletions(int argc, const char* const* argv) {
  static constexpr std::string_view kShells[] = {"bash", "zsh", "fish", "powershell", "man"};
  std::string shell;
  CommandLine app("Prints a completion script for bash, zsh, fish or PowerShell, or the manual page.",
                  "culprit completions");
  app.AddChoice(
      "SHELL", kShells, [&](size_t place) { shell = kShells[place]; },
      "bash, zsh, fish, powershell; man: culprit(1)", "");
  app.Footer(
      "Examples:\n"
      "  source <(culprit completions bash)\n"
      "  culprit completions powershell | Out-String | Invoke-Expression\n"
      "  culprit completions man > culprit.1");
  if (const auto status = app.Parse(argc, argv)) return *status;
  if (shell.empty()) {
    Say("usage: culprit completions bash|zsh|fish|powershell|man\n  example: source <(culprit completions "
        "bash)\n");
    return kExitUsage;
  }
  const std::vector<Declaration> commands = DeclaredCommands();
  if (shell == "fish") return Print(FishCompletions(commands));
  if (shell == "powershell") return Print(PowerShellCompletions(commands));
  if (shell == "man") return Print(ManualPage(commands));
  if (shell == "zsh") return Print(ZshCompletions(commands));
  return Print(BashCompletions(commands));
}

}  // namespace culprit::cli
