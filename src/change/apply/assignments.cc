#include "change/apply/assignments.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "change/apply/assignment_lines.h"

namespace culprit::apply {
namespace {

using std::string;
using std::string_view;

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
  void Suspect(const Assignment& at, const string& why) {
    edited.maybe = "line " + std::to_string(at.number) + " " + why;
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
    Replace(at.number, words, words, dialect == Dialect::kShell ? ": # removed by culprit: " : "# ");
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
        if (!element.empty() && line.find(element) != line.npos)
          Refuse(at, at.refusal);
        else if (line.find_first_of("$`") != line.npos)
          Suspect(at, at.refusal);
        continue;
      }
      std::vector<Element> elements = Elements(ValueOf(at), dialect, name);
      bool found = false;
      for (size_t i = 0; i < elements.size();) {
        const Element& each = elements[i];
        const bool goes = !each.itself && !each.unknown &&
                          SameElement(Expanded(each.middle, dialect, home), element) &&
                          (!element.empty() || elements.size() > 1);
        if (each.unknown) Suspect(at, "builds it from another variable");
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
    Refuse(at, "has a value without the quotes it needs");
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
};

}  // namespace

string VariableOf(const report::Change& change) {
  if (const auto* set = change.As<report::SetVariable>()) return set->name;
  if (const auto* unset = change.As<report::UnsetVariable>()) return unset->name;
  if (const auto* drop = change.As<report::DropFromList>()) return drop->name;
  if (const auto* add = change.As<report::AddToList>()) return add->name;
  return "";
}

Edited Edit(const string& text, Dialect dialect, const report::Change& change, const string& home) {
  Editor editor(text, dialect, home, VariableOf(change));
  if (const auto* set = change.As<report::SetVariable>()) editor.Set(set->value);
  if (change.As<report::UnsetVariable>() != nullptr) editor.Unset();
  if (const auto* drop = change.As<report::DropFromList>()) editor.Drop(drop->element);
  if (const auto* add = change.As<report::AddToList>()) editor.Add(add->element);
  if (!editor.edited.refusal.empty()) editor.edited.text = text;
  return editor.edited;
}

Edited Append(const string& text, Dialect dialect, const report::Change& change) {
  Edited edited{.sets = true, .text = text};
  const auto* set = change.As<report::SetVariable>();
  const auto* add = change.As<report::AddToList>();
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
