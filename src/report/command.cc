// How a foreign word is written so that a shell reads it as it is.
//
// An absolute path is for POSIX shells and fish: single quotes, with ' and \ outside of them, since fish
// reads some of these inside of them too. Every other word may end up in cmd, PowerShell or a POSIX shell,
// and we do not know in which: double quotes, and no word at all if one of them would read something inside
// of these. Text that a terminal would not show as it is (control characters, bidi) cannot be copied from
// there: no command either.
#include "report/command.h"

#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"

namespace culprit::report {
namespace {

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool ConsistsOf(std::string_view text, std::string_view others) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return IsAlphanumeric(c) || others.find(c) != std::string_view::npos;
  });
}

bool IsShownAsItIs(std::string_view text) { return base::Printable(text) == text; }

// Read as it is by cmd, PowerShell and POSIX shells, between double quotes. PowerShell takes typographic
// quotes for quotes; "!" stands for an earlier command in shells, except before "=".
bool IsSafeInQuotes(std::string_view text) {
  for (size_t at = text.find('!'); at != std::string_view::npos; at = text.find('!', at + 1)) {
    if (!text.substr(at + 1).starts_with('=')) return false;
  }
  return IsShownAsItIs(text) && text.find_first_of("\"$`%") == std::string_view::npos &&
         !base::Contains(text, "\u201C") && !base::Contains(text, "\u201D") &&
         !base::Contains(text, "\u201E");
}

std::string InSingleQuotes(std::string_view text) {
  std::string quoted = "'";
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escapes =
        text[i] == '\\' && (i + 1 == text.size() || text[i + 1] == '\\' || text[i + 1] == '\'');
    quoted += text[i] == '\'' || escapes ? std::string("'\\") + text[i] + "'" : std::string(1, text[i]);
  }
  return quoted + "'";
}

std::optional<std::string> ForAnyShell(std::string_view word) {
  const std::string spelled = base::ToWindowsPath(word);
  if (ConsistsOf(spelled, "._-+:/\\=@,~")) return spelled;
  if (!IsSafeInQuotes(spelled) || spelled.ends_with('\\')) return std::nullopt;  // \" is a quote to some
  return "\"" + spelled + "\"";
}

std::optional<std::string> Worded(std::string_view word) {
  const bool home = word.starts_with("~/");  // hidden before: the shell shall read it
  if ((!word.starts_with('/') && !home) || base::IsWindowsPath(word)) return ForAnyShell(word);
  if (!IsShownAsItIs(word)) return std::nullopt;
  return home && word.size() > 2 ? "~/" + ForShell(word.substr(2)) : ForShell(word);
}

}  // namespace

Command::Command(Part part) {
  if (!part.text.empty() || part.kind != Kind::kOurs) parts_.push_back(std::move(part));
}

Command& Command::operator+=(Command more) {
  for (Part& part : more.parts_) {
    if (!parts_.empty() && part.kind == Kind::kOurs && parts_.back().kind == Kind::kOurs)
      parts_.back().text += part.text;
    else
      parts_.push_back(std::move(part));
  }
  return *this;
}

std::optional<std::string> Command::Spelled(const Part& part, bool first_of_word) {
  const std::string& text = part.text;
  if (part.kind == Kind::kOurs) return text;
  if (first_of_word && text.starts_with('-')) return std::nullopt;  // would be an option
  switch (part.kind) {
    case Kind::kQuoted:
      if (!IsShownAsItIs(text)) return std::nullopt;
      // A home that was hidden before: no quotes around its "~".
      if (text.starts_with("~/")) return text.size() == 2 ? "~/" : "~/" + InSingleQuotes(text.substr(2));
      return InSingleQuotes(text);
    case Kind::kInQuotes:
      if (!IsSafeInQuotes(text)) return std::nullopt;
      return text.starts_with("~/") ? "$HOME" + text.substr(1) : text;
    case Kind::kPlain:
      if (!ConsistsOf(text, "._+:~-") || !IsAlphanumeric(text.front())) return std::nullopt;
      return text;
    case Kind::kSpecifier:
      if (!ConsistsOf(text, " .*+!=<>~,_-") || !IsSafeInQuotes(text)) return std::nullopt;
      return text;
    default:
      return Worded(text);
  }
}

std::optional<std::string> Command::Text() const {
  std::string all;
  for (const Part& part : parts_) {
    const auto text = Spelled(part, all.empty() || all.ends_with(' '));
    if (!text) return std::nullopt;
    all += *text;
  }
  return all;
}

Command Word(std::string_view foreign) {
  return Command(Command::Part{Command::Kind::kWord, std::string(foreign)});
}
Command Quoted(std::string_view foreign) {
  return Command(Command::Part{Command::Kind::kQuoted, std::string(foreign)});
}
Command InQuotes(std::string_view foreign) {
  return Command(Command::Part{Command::Kind::kInQuotes, base::ToWindowsPath(foreign)});
}
Command Plain(std::string_view foreign) {
  return Command(Command::Part{Command::Kind::kPlain, std::string(foreign)});
}
Command Specifier(std::string_view foreign) {
  return Command(Command::Part{Command::Kind::kSpecifier, std::string(foreign)});
}
Command FromTable(std::string_view ours) {
  return Command(Command::Part{Command::Kind::kOurs, std::string(ours)});
}

std::vector<std::string> Texts(const std::vector<Command>& commands) {
  std::vector<std::string> texts;
  for (const Command& command : commands) {
    auto text = command.Text();
    if (!text) return {};
    texts.push_back(*std::move(text));
  }
  return texts;
}

std::string ForShell(std::string_view word) {
  return ConsistsOf(word, "._-+:/=@,%") ? std::string(word) : InSingleQuotes(word);
}

}  // namespace culprit::report
