// For bash, and for zsh through its bashcompinit. Names of files are left to the shell, which knows about
// spaces, quotes and ~; bashcompinit of zsh has no such thing, but takes one name a line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completions/completions.h"

namespace culprit::cli {
namespace {

// What the shell itself can offer for a value, as the option of compgen: "-f"; "" if it knows nothing.
std::string_view KindOf(Value value) {
  switch (value) {
    case Value::kFile:
      return "-f";
    case Value::kDirectory:
      return "-d";
    case Value::kCommand:
      return "-c";
    case Value::kNone:
    case Value::kText:
      return "";
  }
  return "";
}

std::string ValueCases(const Declaration& command) {
  std::string cases;
  for (const DeclaredOption& option : command.options) {
    if (option.positional || option.value == Value::kNone) continue;
    std::string pattern;
    for (const std::string& name : option.names)
      pattern += fmt::format("{}\"{} {}\"", pattern.empty() ? "" : "|", command.name, name);
    cases += fmt::format("    {}) _culprit_offer \"{}\" \"{}\"; return ;;\n", pattern,
                         fmt::join(option.choices, " "), option.choices.empty() ? KindOf(option.value) : "");
  }
  return cases;
}

std::string CommandCase(const Declaration& command) {
  std::vector<std::string> options, words;
  std::string_view kind;
  for (const DeclaredOption& option : command.options) {
    if (!option.positional) {
      options.push_back(option.names.back());
      continue;
    }
    words.insert(words.end(), option.choices.begin(), option.choices.end());
    kind = KindOf(option.value);
  }
  return fmt::format("    {}) _culprit_offer \"{}\" \"{}\" \"{}\" ;;\n", command.name, fmt::join(words, " "),
                     kind, fmt::join(options, " "));
}

// COMP_WORDS has "--format" "=" "js" for --format=js in bash, and one word in zsh.
constexpr std::string_view kScript = R"sh(_culprit_offer() {{  # words, kind of file, options
  local words=$1 kind=$2 found IFS=$' \t\n'
  case $cur in -*) [ -z "$glued" ] && words="$words ${{3-}}" kind= ;; esac
  [ -n "$words$kind" ] || words=${{3-}}
  found=$(compgen -W "$words" -- "$cur")
  case $kind in -c) found="$found"$'\n'"$(compgen -c -- "$cur")" ;; esac
  if [ -n "$kind" ] && [ -n "${{ZSH_VERSION-}}" ]; then
    case $kind in -d) ;; *) kind=-f ;; esac
    found="$found"$'\n'"$(compgen $kind -- "$cur")"
  elif [ -n "$kind" ]; then
    case $kind in -d) compopt -o dirnames ;; *) compopt -o default ;; esac
  fi
  IFS=$'\n'
  COMPREPLY=($found)
  [ -z "$glued" ] || COMPREPLY=("${{COMPREPLY[@]/#/$glued}}")
}}
_culprit() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} glued=
  case $cur in
    --*=*) prev=${{cur%%=*}} glued=${{cur%%=*}}= cur=${{cur#*=}} ;;
    =) cur= ;;
    *) [ "$prev" != = ] || prev=${{COMP_WORDS[COMP_CWORD-2]}} ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    _culprit_offer "{} --help --version" ""; return
  fi
  case $command in -*) command=check ;; esac
  case "$command $prev" in
{}  esac
  case $command in
{}  esac
}}
)sh";

std::string Functions(std::span<const Declaration> commands) {
  std::string names, values, cases;
  for (const Declaration& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    values += ValueCases(command);
    cases += CommandCase(command);
  }
  return fmt::format(kScript, names, values, cases);
}

}  // namespace

std::string BashCompletions(std::span<const Declaration> commands) {
  return Functions(commands) + "complete -F _culprit culprit\n";
}

// Sourced, or as the function _culprit in a folder of zsh, which calls it to complete.
std::string ZshCompletions(std::span<const Declaration> commands) {
  return "#compdef culprit\nautoload -U +X bashcompinit && bashcompinit\n" + Functions(commands) +
         "complete -o filenames -F _culprit culprit\n"
         "[ \"$funcstack[1]\" != _culprit ] || _bash_complete -o filenames -F _culprit\n";
}

}  // namespace culprit::cli
