// A Dockerfile as instructions: comments left out, lines joined, heredocs set apart.
#pragma once

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "collect/recipe/shell.h"

namespace culprit::collect {

struct Instruction {
  std::string name;  // in capitals
  LinedText rest;    // continued lines in one
  LinedText heredoc;
  uint64_t line = 0;
  std::string unended;  // the line that a heredoc should end with
};

inline std::string Capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return capitals;
}

// The file as instructions: comments left out, lines joined, heredocs set apart.
class Lines {
 public:
  explicit Lines(std::string_view bytes) {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    while (!bytes.empty()) {
      std::string_view line = bytes.substr(0, bytes.find('\n'));
      bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
      if (line.ends_with('\r')) line.remove_suffix(1);
      lines_.push_back(line);
    }
    ReadDirectives();
  }
  char escape() const { return escape_; }

  std::optional<Instruction> Next() {
    while (at_ < lines_.size() && IsBlank(lines_[at_])) ++at_;
    if (at_ >= lines_.size()) return std::nullopt;
    Instruction instruction{.line = at_ + 1};
    bool goes_on = true;
    for (bool first = true; goes_on && at_ < lines_.size(); ++at_) {
      std::string_view line = lines_[at_];
      if (!first && IsBlank(line)) continue;
      const std::string_view trimmed = base::Trim(line);
      goes_on = trimmed.ends_with(escape_);
      std::string_view own = goes_on ? trimmed.substr(0, trimmed.size() - 1) : trimmed;
      if (first) {
        const size_t end = std::min(own.find_first_of(" \t"), own.size());
        instruction.name = Capitals(own.substr(0, end));
        own = base::Trim(own.substr(end));
      }
      instruction.rest.Add(own, at_ + 1);
      if (goes_on) instruction.rest.text += ' ';
      first = false;
    }
    if (TakesHeredoc(instruction.name)) TakeHeredocs(instruction);
    return instruction;
  }

 private:
  static bool IsBlank(std::string_view line) {
    line = base::Trim(line);
    return line.empty() || line.front() == '#';
  }
  static bool TakesHeredoc(std::string_view name) { return name == "RUN" || name == "COPY" || name == "ADD"; }

  // "# escape=`" before anything else.
  void ReadDirectives() {
    for (const std::string_view line : lines_) {
      std::string_view text = base::Trim(line);
      if (!text.starts_with('#')) return;
      text = base::Trim(text.substr(1));
      const size_t equals = text.find('=');
      if (equals == std::string_view::npos) return;
      const std::string name = Capitals(base::Trim(text.substr(0, equals)));
      const std::string_view value = base::Trim(text.substr(equals + 1));
      if (name == "ESCAPE" && value == "`") escape_ = '`';
    }
  }

  // "<<EOF", "<<-EOF", "3<<'EOF'" as a word of its own, outside quotes: the lines up to EOF.
  void TakeHeredocs(Instruction& instruction) {
    std::string& text = instruction.rest.text;
    char quote = 0;
    bool begins = true;  // a word begins here, or after digits
    for (size_t at = 0; at < text.size() && instruction.unended.empty(); ++at) {
      const char c = text[at];
      if (c == '\\' && quote != '\'') {
        ++at;
      } else if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (begins && text.compare(at, 2, "<<") == 0) {
        at = TakeHeredoc(at, instruction) - 1;
      }
      begins = quote == 0 && (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ';' || c == '|' ||
                              c == '&' || (begins && std::isdigit(static_cast<unsigned char>(c)) != 0));
    }
  }
  // The one that begins there; returns where its word ends.
  size_t TakeHeredoc(size_t at, Instruction& instruction) {
    std::string& text = instruction.rest.text;
    const bool tabs = text.compare(at + 2, 1, "-") == 0;
    const size_t begin = at + (tabs ? 3 : 2);
    const size_t end = std::min(text.find_first_of(" \t;&|>)", begin), text.size());
    std::string word = text.substr(begin, end - begin);
    std::erase_if(word, [](char c) { return c == '\'' || c == '"'; });
    const bool name = !word.empty() && std::ranges::all_of(word, [](char c) {
      return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    });
    if (!name) return std::max(end, at + 1);
    for (; at_ < lines_.size(); ++at_) {
      std::string_view line = lines_[at_];
      while (tabs && line.starts_with('\t')) line.remove_prefix(1);
      if (line == word) break;
      instruction.heredoc.Add(std::string(lines_[at_]) + "\n", at_ + 1);
    }
    if (at_ >= lines_.size()) instruction.unended = word;
    ++at_;
    text.replace(at, end - at, std::string(end - at, ' '));
    return end;
  }

  std::vector<std::string_view> lines_;
  size_t at_ = 0;
  char escape_ = '\\';
};

}  // namespace culprit::collect
