#include "change/apply/assignment_lines.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace culprit::apply {
namespace {

using std::string;
using std::string_view;

bool InName(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Reads a shell's value at `at`. Nothing when it is more than text, references and one pair of quotes.
std::optional<Value> ShellValue(string_view line, size_t at) {
  Value value;
  if (at < line.size() && (line[at] == '"' || line[at] == '\'')) value.quote = line[at++];
  value.begin = at;
  while (at < line.size()) {
    const char c = line[at];
    if (c == '$') {
      if (value.quote == '\'') return std::nullopt;
      at = EndOfReference(line, at);
      if (at == string_view::npos) return std::nullopt;
      continue;
    }
    if (value.quote != '\0' && c == value.quote) break;
    const bool blank_in_quotes = value.quote != '\0' && c == ' ';
    if (!IsPlain(c) && !blank_in_quotes && static_cast<unsigned char>(c) < 0x80) break;
    ++at;
  }
  value.end = at;
  if (value.quote != '\0') {
    if (at >= line.size() || line[at] != value.quote) return std::nullopt;
    ++at;
  }
  // Behind it: nothing, "; export NAME", a comment.
  string_view rest = base::Trim(line.substr(at));
  if (rest.starts_with(';')) {
    rest = base::Trim(rest.substr(1));
    if (rest.starts_with("export ")) {
      rest.remove_prefix(7);
      while (!rest.empty() && InName(rest.front())) rest.remove_prefix(1);
      rest = base::Trim(rest);
      if (rest.starts_with(';')) rest = base::Trim(rest.substr(1));
    }
  }
  if (!rest.empty() && rest.front() != '#') return std::nullopt;
  if (!rest.empty() && at < line.size() && line[at] != ' ' && line[at] != '\t' && line[at] != ';')
    return std::nullopt;  // "a#b" is no comment
  return value;
}

// Where `name` is assigned in the line, npos when it is not: the place of the name.
size_t PlaceOf(string_view line, const string& name) {
  for (size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    const char behind = at + name.size() < line.size() ? line[at + name.size()] : '\0';
    const bool sets = behind == '=' || (behind == '+' && line.substr(at + name.size()).starts_with("+="));
    if (sets && (at == 0 || (!InName(line[at - 1]) && line[at - 1] != '$' && line[at - 1] != '{'))) return at;
  }
  return string_view::npos;
}

Assignment ReadShellLine(string_view line, size_t at, const string& name, bool continues) {
  Assignment found;
  string_view before = line.substr(0, at);
  before.remove_prefix(SkipBlanks(before, 0));
  const bool alone = before.empty() || before == "export " || before == "declare -x " ||
                     before == "typeset -x " || before == "typeset -gx ";
  if (!alone || continues || line.ends_with('\\')) {
    found.refusal = "sets it on a line with other commands";
    return found;
  }
  if (line[at + name.size()] == '+') {
    found.refusal = "adds to it with +=";
    return found;
  }
  const auto value = ShellValue(line, at + name.size() + 1);
  if (!value) {
    found.refusal = "sets it to a value that only the shell can evaluate";
    return found;
  }
  found.value = *value;
  return found;
}

Assignment ReadPlainLine(string_view line, size_t at, const string& name) {
  Assignment found;
  string_view before = base::Trim(line.substr(0, at));
  if (!before.empty() && before != "export") {
    found.refusal = "is not a plain NAME=value line";
    return found;
  }
  Value value{.begin = at + name.size() + 1, .end = line.size()};
  while (value.end > value.begin && (line[value.end - 1] == ' ' || line[value.end - 1] == '\r')) --value.end;
  if (value.end - value.begin >= 2 && (line[value.begin] == '"' || line[value.begin] == '\'') &&
      line[value.end - 1] == line[value.begin]) {
    value.quote = line[value.begin];
    ++value.begin;
    --value.end;
  }
  found.value = value;
  return found;
}

}  // namespace

bool IsPlain(char c) { return InName(c) || string_view("/.,:+-@%=~^").find(c) != string_view::npos; }

size_t SkipBlanks(string_view text, size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

size_t EndOfReference(string_view text, size_t at) {
  if (at + 1 >= text.size()) return string_view::npos;
  if (text[at + 1] != '{') {
    size_t end = at + 1;
    while (end < text.size() && InName(text[end])) ++end;
    return end == at + 1 ? string_view::npos : end;
  }
  int depth = 0;
  for (size_t end = at + 1; end < text.size(); ++end) {
    if (text[end] == '{') ++depth;
    if (text[end] == '}' && --depth == 0) return end + 1;
    if (string_view("`'\"\\(;&|<> \t").find(text[end]) != string_view::npos) return string_view::npos;
  }
  return string_view::npos;
}

std::vector<Assignment> Assignments(const string& text, Dialect dialect, const string& name) {
  std::vector<Assignment> all;
  const char separator = dialect == Dialect::kPlain && text.find('\0') != string::npos ? '\0' : '\n';
  bool document = false, continues = false;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    const string_view line = string_view(text).substr(begin, end - begin);
    ++number;
    const string_view trimmed = base::Trim(line);
    const size_t at = trimmed.starts_with('#') ? string_view::npos : PlaceOf(line, name);
    if (at != string_view::npos && !(dialect == Dialect::kPlain && line[at + name.size()] == '+')) {
      Assignment found = dialect == Dialect::kShell ? ReadShellLine(line, at, name, continues)
                                                    : ReadPlainLine(line, at, name);
      if (document) found.refusal = "may be inside a here-document";
      found.number = number;
      found.begin = begin;
      found.end = end;
      found.value.begin += begin;
      found.value.end += begin;
      all.push_back(found);
    }
    if (dialect == Dialect::kShell && !trimmed.starts_with('#')) {
      document = document || line.find("<<") != line.npos;
      continues = line.ends_with('\\');
    }
    begin = end + 1;
  }
  return all;
}

}  // namespace culprit::apply
