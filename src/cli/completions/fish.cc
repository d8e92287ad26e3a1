// For fish: one line for each option of each command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completions/completions.h"

namespace culprit::cli {
namespace {

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string ValueOf(const DeclaredOption& option) {
  if (!option.choices.empty()) return fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
  switch (option.value) {
    case Value::kNone:
      return "";
    case Value::kFile:
      return " -r";
    case Value::kDirectory:
      return " -x -a '(__fish_complete_directories)'";
    case Value::kCommand:
    case Value::kText:
      return " -x";
  }
  return "";
}

std::string OptionLine(const std::string& command, const DeclaredOption& option) {
  std::string line = fmt::format("complete -c culprit -n '__fish_seen_subcommand_from {}'", command);
  if (option.positional) {
    if (option.choices.empty()) return "";
    return fmt::format("{}{} -a '{}'\n", line, option.value == Value::kFile ? "" : " -f",
                       fmt::join(option.choices, " "));
  }
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return line + ValueOf(option) + " -d " + Quoted(option.help) + "\n";
}

}  // namespace

std::string FishCompletions(std::span<const Declaration> commands) {
  std::string script;
  for (const Declaration& command : commands) {
    script += fmt::format("complete -c culprit -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                          Quoted(command.about));
    for (const DeclaredOption& option : command.options) script += OptionLine(command.name, option);
  }
  return script;
}

}  // namespace culprit::cli
