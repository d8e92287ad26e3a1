// For bash, and for zsh through its bashcompinit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completions/completions.h"

namespace culprit::cli {
namespace {

// The arguments of compgen for a value: "-f", "-d", "-W 'a b'"; "" if there is nothing to offer.
std::string ChoicesOf(const DeclaredOption& option) {
  if (!option.choices.empty()) return fmt::format("-W \"{}\"", fmt::join(option.choices, " "));
  switch (option.value) {
    case Value::kFile:
      return "-f";
    case Value::kDirectory:
      return "-d";
    case Value::kCommand:
      return "-c -f";
    case Value::kNone:
    case Value::kText:
      return "";
  }
  return "";
}

std::string ValueCases(const Declaration& command) {
  std::string cases;
  for (const DeclaredOption& option : command.options) {
    const std::string offered = ChoicesOf(option);
    if (option.positional || option.value == Value::kNone || offered.empty()) continue;
    std::string pattern;
    for (const std::string& name : option.names)
      pattern += fmt::format("{}\"{} {}\"", pattern.empty() ? "" : "|", command.name, name);
    cases += fmt::format("    {}) COMPREPLY=($(compgen {} -- \"$cur\")); return ;;\n", pattern, offered);
  }
  return cases;
}

std::string CommandCase(const Declaration& command) {
  std::string words, files;
  for (const DeclaredOption& option : command.options) {
    if (!option.positional) {
      words += option.names.back() + " ";
      continue;
    }
    for (const std::string& choice : option.choices) words += choice + " ";
    if (option.choices.empty()) files = ChoicesOf(option) + " ";
  }
  return fmt::format("    {}) COMPREPLY=($(compgen {}-W \"{}\" -- \"$cur\")) ;;\n", command.name, files,
                     words);
}

}  // namespace

std::string BashCompletions(std::span<const Declaration> commands) {
  std::string names, values, cases;
  for (const Declaration& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    values += ValueCases(command);
    cases += CommandCase(command);
  }
  return fmt::format(R"sh(_culprit() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$cur")); return
  fi
  case $command in -*) command=check ;; esac
  case "$command $prev" in
{}  esac
  case $command in
{}  esac
}}
complete -o filenames -F _culprit culprit
)sh",
                     names, values, cases);
}

// Sourced, or as the function _culprit in a folder of zsh, which calls it to complete.
std::string ZshCompletions(std::span<const Declaration> commands) {
  return "#compdef culprit\nautoload -U +X bashcompinit && bashcompinit\n" + BashCompletions(commands) +
         "[ \"$funcstack[1]\" != _culprit ] || _bash_complete -o filenames -F _culprit\n";
}

}  // namespace culprit::cli
