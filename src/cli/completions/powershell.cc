// For PowerShell: one table of words, asked by the word that is being written.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "cli/completions/completions.h"

namespace culprit::cli {
namespace {

std::string InSingleQuotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text.substr(0, text.find('\n'))) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

// 'check' = @{ '--host' = @('assume ...'); '--format' = @('text, json ...', 'text', 'json') }
std::string CommandLineOf(const Declaration& command) {
  std::string line = fmt::format("    {} = @{{", InSingleQuotes(command.name));
  bool positional = false;  // a key must not stand twice
  for (const DeclaredOption& option : command.options) {
    if (option.positional && (option.choices.empty() || std::exchange(positional, true))) continue;
    for (const std::string& name : option.names) {
      line += fmt::format(" {} = @({}", InSingleQuotes(option.positional ? "" : name),
                          InSingleQuotes(option.help));
      for (const std::string& choice : option.choices) line += ", " + InSingleQuotes(choice);
      line += ");";
      if (option.positional) break;
    }
  }
  return line + " }\n";
}

constexpr std::string_view kAsk = R"(
Register-ArgumentCompleter -Native -CommandName culprit, culprit.exe -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
    $command = $words | Select-Object -Skip 1 | Where-Object { $culpritOptions.Contains($_) } | Select-Object -First 1
    $before = if ($wordToComplete) { $words[-2] } else { $words[-1] }
    $offered = [ordered]@{}
    if (-not $command) {
        foreach ($name in $culpritAbout.Keys) { $offered[$name] = $culpritAbout[$name] }
    } elseif ($culpritOptions[$command].Contains($before) -and $culpritOptions[$command][$before].Count -gt 1) {
        foreach ($choice in $culpritOptions[$command][$before][1..99]) { $offered[$choice] = $choice }
    } else {
        foreach ($name in $culpritOptions[$command].Keys) {
            if ($name) { $offered[$name] = $culpritOptions[$command][$name][0] }
            else { foreach ($choice in $culpritOptions[$command][$name][1..99]) { $offered[$choice] = $choice } }
        }
    }
    foreach ($name in $offered.Keys) {
        if ($name -like "$wordToComplete*") {
            [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $offered[$name])
        }
    }
}
)";

}  // namespace

std::string PowerShellCompletions(std::span<const Declaration> commands) {
  std::string about = "$culpritAbout = [ordered]@{\n", options = "$culpritOptions = @{\n";
  for (const Declaration& command : commands) {
    about += fmt::format("    {} = {}\n", InSingleQuotes(command.name), InSingleQuotes(command.about));
    options += CommandLineOf(command);
  }
  return about + "}\n" + options + "}" + std::string(kAsk);
}

}  // namespace culprit::cli
