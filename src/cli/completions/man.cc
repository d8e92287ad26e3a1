// The manual page culprit(1), as troff with the macros of man(7).
#include <fmt/format.h>

#include "base/product_version.h"
#include "base/text.h"
#include "cli/completions/completions.h"

namespace culprit::cli {
namespace {

// Escapes a line: troff takes a leading dot or quote for a request, and a backslash for an escape.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
  return escaped;
}

std::string Paragraph(std::string_view text) {
  std::string lines;
  for (const std::string& line : base::Split(text, '\n')) lines += Escaped(base::Trim(line)) + "\n";
  return lines;
}

std::string OptionText(const DeclaredOption& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", Escaped(name));
  const std::string word = fmt::format("\\fI{}\\fR", Escaped(option.word));
  if (!option.positional && !option.word.empty())  // that of a flag may be left out
    names += option.value == Value::kNone ? "[=" + word + "]" : " " + word;
  return ".TP\n" + names + "\n" + Paragraph(option.help);
}

std::string CommandText(const Declaration& command) {
  std::string text = fmt::format(".SH culprit {}\n{}", Escaped(command.name), Paragraph(command.about));
  for (const DeclaredOption& option : command.options) text += OptionText(option);
  if (command.footer.empty()) return text;
  text += ".PP\n.nf\n";
  for (const std::string& line : base::Split(command.footer, '\n')) text += Escaped(line) + "\n";
  return text + ".fi\n";
}

struct Named {
  std::string_view name, meaning;
};

// What culprit itself reads or writes, as the sources and docs/ have it.
constexpr Named kVariables[] = {
    {"CULPRIT_KNOWLEDGE", "use only this file for newer tables; empty: use none"},
    {"CULPRIT_RULES_URL", "default for --rules-url"},
    {"CULPRIT_STATE", "directory of the journal of culprit fix"},
    {"CULPRIT_PROBE", "path of culprit-probe, instead of the built-in one"},
    {"NO_COLOR", "if set and not empty, no colour"},
    {"XDG_DATA_HOME, XDG_STATE_HOME", "replace ~/.local/share and ~/.local/state below"},
    {"TMPDIR", "directory where culprit run and culprit probe unpack their helpers"},
    {"SOURCE_DATE_EPOCH", "the date to use as today, in seconds since 1970"},
    {"PATH, LD_LIBRARY_PATH, CUDA_HOME, CUDA_VISIBLE_DEVICES, VIRTUAL_ENV, CONDA_PREFIX and others",
     "decide what the checked programs find and load; --env FILE replaces them"},
};
constexpr Named kFiles[] = {
    {".culprit.toml",
     "project settings, in the working directory or above: hosts, ignored codes, policy; --settings FILE "
     "names another file"},
    {"~/.local/share/culprit/knowledge.tables, /usr/local/share/culprit/knowledge.tables, "
     "/usr/share/culprit/knowledge.tables",
     "newer tables of facts; culprit knowledge shows which are used"},
    {"~/.local/state/culprit, /var/lib/culprit (root)", "journal of culprit fix, for --undo"},
};

std::string NamedSection(std::string_view title, std::span<const Named> rows) {
  std::string text = fmt::format(".SH {}\n", title);
  for (const Named& row : rows)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", Escaped(row.name), Escaped(row.meaning));
  return text;
}

}  // namespace

std::string ManualPage(std::span<const Declaration> commands) {
  std::string text = fmt::format(
      ".TH CULPRIT 1 \"\" \"culprit {}\"\n.SH NAME\nculprit \\- finds what is wrong with a CUDA/cuDNN stack\n"
      ".SH SYNOPSIS\n.B culprit\n[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]\n.PP\nWithout a command: check.\n",
      base::ProductVersion());
  for (const Declaration& command : commands) text += CommandText(command);
  return text +
         ".SH EXIT STATUS\n0 nothing wrong, 1 a problem was found, 2 could not check, 64 wrong usage\n" +
         NamedSection("ENVIRONMENT", kVariables) + NamedSection("FILES", kFiles);
}

}  // namespace culprit::cli
