#include "apply/assignments.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace culprit::apply {
namespace {

using std::string;
using std::string_view;

bool InName(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsPlain(char c) { return InName(c) || string_view("/.,:+-@%=~^").find(c) != string_view::npos; }

size_t SkipBlanks(string_view text, size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

// The value of an assignment within its line.
struct Value {
  size_t begin = 0, end = 0;  // without the quotes
  char quote = '\0';
};

struct Assignment {
  size_t number = 0;          // of the line, from 1
  size_t begin = 0, end = 0;  // of the line in the text, without its end
  Value value;                // places in the text
  string refusal;             // why its value cannot be edited
};

// The end of "$NAME" or "${...}" that begins at `at`; npos for anything else.
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
    found.refusal = "sets it among other commands";
    return found;
  }
  if (line[at + name.size()] == '+') {
    found.refusal = "adds to it with +=";
    return found;
  }
  const auto value = ShellValue(line, at + name.size() + 1);
  if (!value) {
    found.refusal = "sets it to what only the shell can work out";
    return found;
  }
  found.value = *value;
  return found;
}

Assignment ReadPlainLine(string_view line, size_t at, const string& name) {
  Assignment found;
  string_view before = base::Trim(line.substr(0, at));
  if (!before.empty() && before != "export") {
    found.refusal = "is no plain NAME=value";
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
      if (document) found.refusal = "may stand in a here-document";
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

// One element of a list, with what stands of references to the variable itself glued to it:
// "/a${X:+:$X}" is "/a" and behind it "${X:+:$X}".
struct Element {
  string front, middle, back;
  bool itself = false;   // $X, ${X}
  bool unknown = false;  // has another variable in it
};

bool IsItself(string_view text, const string& name) {
  return text == "$" + name || text == "${" + name + "}";
}

// "${X:+:$X}", "${X:+$X:}": the list that was there, with its colon, if there was one.
bool IsItselfGlued(string_view text, const string& name) {
  for (const char* form : {":+", "+"}) {
    const string open = "${" + name + form;
    if (!text.starts_with(open) || !text.ends_with('}')) continue;
    string_view inside = text.substr(open.size(), text.size() - open.size() - 1);
    if (inside.starts_with(':'))
      inside.remove_prefix(1);
    else if (inside.ends_with(':'))
      inside.remove_suffix(1);
    else
      continue;
    if (IsItself(inside, name)) return true;
  }
  return false;
}

std::vector<Element> Elements(string_view value, Dialect dialect, const string& name) {
  std::vector<Element> elements(1);
  bool in_front = true;
  for (size_t at = 0; at < value.size();) {
    Element& last = elements.back();
    if (value[at] == ':') {
      elements.emplace_back();
      in_front = true;
      ++at;
      continue;
    }
    if (value[at] != '$' || dialect == Dialect::kPlain) {
      last.middle += value[at++];
      in_front = false;
      continue;
    }
    const size_t end = EndOfReference(value, at);
    const string_view reference = value.substr(at, end - at);
    if (IsItselfGlued(reference, name)) {
      (in_front && last.middle.empty() ? last.front : last.back) += reference;
    } else {
      last.middle += reference;
      last.itself = IsItself(reference, name);
      last.unknown = last.unknown || (reference != "$HOME" && reference != "${HOME}" && !last.itself);
      in_front = false;
    }
    at = end;
  }
  for (Element& element : elements) {
    if (element.itself && !IsItself(element.middle, name)) {
      element.itself = false;
      element.unknown = true;
    }
    // "${X:+:$X}" alone: nothing of this line's own.
    if (element.middle.empty() && (!element.front.empty() || !element.back.empty())) element.itself = true;
  }
  return elements;
}

string Expanded(string text, Dialect dialect, const string& home) {
  if (dialect == Dialect::kPlain) return text;
  for (const string_view form : {"${HOME}", "$HOME"}) {
    if (text.starts_with(form)) return home + text.substr(form.size());
  }
  if (text == "~" || text.starts_with("~/")) return home + text.substr(1);
  return text;
}

string Clean(const string& path) {
  string clean = base::CleanPath(path);
  while (clean.size() > 1 && clean.ends_with('/')) clean.pop_back();
  return clean;
}

bool SameElement(const string& one, const string& other) {
  return one == other || (!one.empty() && !other.empty() && Clean(one) == Clean(other));
}

struct Editor {
  const string& text;
  Dialect dialect;
  const string& home;
  string name;
  Edited edited = {};

  Editor(const string& text_in, Dialect dialect_in, const string& home_in, string name_in)
      : text(text_in), dialect(dialect_in), home(home_in), name(std::move(name_in)) {
    edited.text = text;
  }

  void Refuse(const Assignment& at, const string& why) {
    edited.sets = true;
    if (edited.refusal.empty()) edited.refusal = "line " + std::to_string(at.number) + " " + why;
  }
  void Replace(size_t number, size_t begin, size_t end, const string& with) {
    edited.sets = true;
    edited.line = number;
    edited.text.replace(begin, end - begin, with);
  }
  // The whole line becomes a comment. In a shell it may be the only one between "then" and "fi": a command
  // that does nothing stays.
  void TakeOut(const Assignment& at) {
    if (text.find('\0') != string::npos) {
      Replace(at.number, at.begin, std::min(at.end + 1, text.size()), "");
      return;
    }
    const size_t words = SkipBlanks(string_view(text).substr(0, at.end), at.begin);
    Replace(at.number, words, words, dialect == Dialect::kShell ? ": # culprit took this out: " : "# ");
  }
  string_view ValueOf(const Assignment& at) const {
    return string_view(text).substr(at.value.begin, at.value.end - at.value.begin);
  }

  void Drop(const string& element) {
    std::vector<Assignment> all = Assignments(text, dialect, name);
    // From the last, so that the places of the others stay.
    for (const Assignment& at : all | std::views::reverse) {
      if (!at.refusal.empty()) {
        const string_view line = string_view(text).substr(at.begin, at.end - at.begin);
        if (line.find(element) != line.npos || line.find('$') != line.npos) Refuse(at, at.refusal);
        continue;
      }
      std::vector<Element> elements = Elements(ValueOf(at), dialect, name);
      bool found = false;
      for (size_t i = 0; i < elements.size();) {
        const Element& each = elements[i];
        const bool goes = !each.itself && !each.unknown &&
                          SameElement(Expanded(each.middle, dialect, home), element) &&
                          (!element.empty() || elements.size() > 1);
        if (each.unknown) unsure.push_back(at);
        if (!goes) {
          ++i;
          continue;
        }
        found = true;
        // What was glued to it goes to its neighbour.
        if (i > 0) elements[i - 1].back += each.back;
        if (i + 1 < elements.size()) elements[i + 1].front = each.front + elements[i + 1].front;
        elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (!found) continue;
      if (std::ranges::all_of(elements, [](const Element& each) { return each.itself; })) {
        TakeOut(at);
        continue;
      }
      string joined;
      for (const Element& each : elements)
        joined += (&each == &elements.front() ? "" : ":") + each.front + each.middle + each.back;
      Replace(at.number, at.value.begin, at.value.end, joined);
    }
    if (!edited.sets && !unsure.empty()) Refuse(unsure.back(), "puts it together from another variable");
  }

  void Unset() {
    const std::vector<Assignment> all = Assignments(text, dialect, name);
    for (const Assignment& at : all | std::views::reverse) {
      if (!at.refusal.empty())
        Refuse(at, at.refusal);
      else
        TakeOut(at);
    }
  }

  // The assignment whose value counts; nullopt when there is none or it cannot be edited.
  std::optional<Assignment> Last() {
    const std::vector<Assignment> all = Assignments(text, dialect, name);
    if (all.empty()) return std::nullopt;
    if (!all.back().refusal.empty()) {
      Refuse(all.back(), all.back().refusal);
      return std::nullopt;
    }
    return all.back();
  }
  bool Fits(const string& value, const Assignment& at) {
    if (dialect == Dialect::kPlain) {
      if (value.find_first_of(string("\n\0", 2)) == value.npos) return true;
    } else if (std::ranges::all_of(value, IsPlain)) {
      return true;
    }
    Refuse(at, "would need quotes that it does not have");
    return false;
  }
  void Set(const string& value) {
    const auto at = Last();
    if (!at || !Fits(value, *at)) return;
    if (ValueOf(*at) == value)
      edited.sets = true;
    else
      Replace(at->number, at->value.begin, at->value.end, value);
  }
  void Add(const string& element) {
    const auto at = Last();
    if (!at || !Fits(element, *at)) return;
    if (at->value.quote == '\'' && dialect == Dialect::kShell && element.find('~') != element.npos) return;
    Replace(at->number, at->value.begin, at->value.begin,
            element + (at->value.begin == at->value.end ? "" : ":"));
  }

  std::vector<Assignment> unsure = {};
};

}  // namespace

string VariableOf(const report::Change& change) {
  if (const auto* set = std::get_if<report::SetVariable>(&change)) return set->name;
  if (const auto* unset = std::get_if<report::UnsetVariable>(&change)) return unset->name;
  if (const auto* drop = std::get_if<report::DropFromList>(&change)) return drop->name;
  if (const auto* add = std::get_if<report::AddToList>(&change)) return add->name;
  return "";
}

Edited Edit(const string& text, Dialect dialect, const report::Change& change, const string& home) {
  Editor editor(text, dialect, home, VariableOf(change));
  if (const auto* set = std::get_if<report::SetVariable>(&change)) editor.Set(set->value);
  if (std::holds_alternative<report::UnsetVariable>(change)) editor.Unset();
  if (const auto* drop = std::get_if<report::DropFromList>(&change)) editor.Drop(drop->element);
  if (const auto* add = std::get_if<report::AddToList>(&change)) editor.Add(add->element);
  if (!editor.edited.refusal.empty()) editor.edited.text = text;
  return editor.edited;
}

Edited Append(const string& text, Dialect dialect, const report::Change& change) {
  Edited edited{.sets = true, .text = text};
  const auto* set = std::get_if<report::SetVariable>(&change);
  const auto* add = std::get_if<report::AddToList>(&change);
  const string name = VariableOf(change);
  const string value = set != nullptr ? set->value : add != nullptr ? add->element : "";
  const bool nul = dialect == Dialect::kPlain && text.find('\0') != string::npos;
  if ((dialect == Dialect::kShell && !std::ranges::all_of(value, IsPlain)) ||
      value.find_first_of(string("\n\0", 2)) != value.npos) {
    edited.refusal = "the value needs quotes";
    return edited;
  }
  const char end = nul ? '\0' : '\n';
  if (!edited.text.empty() && edited.text.back() != end) edited.text += end;
  edited.line = static_cast<size_t>(std::ranges::count(edited.text, end)) + 1;
  if (dialect == Dialect::kPlain) {
    edited.text += name + "=" + value + end;
  } else {
    edited.text += "export " + name + "=" + value +
                   (add != nullptr ? "${" + name + ":+:$" + name + "}" : "") + "  # added by culprit\n";
  }
  return edited;
}

}  // namespace culprit::apply
