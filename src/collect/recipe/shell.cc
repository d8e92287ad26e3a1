#include "collect/recipe/shell.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace culprit::collect {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kLongestValue = 64 << 10;
constexpr size_t kMostSteps = 20'000;
constexpr int kDeepestShell = 3;

bool IsNameSign(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool IsAssignment(std::string_view word) {
  const size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
         std::ranges::all_of(word.substr(0, equals), IsNameSign);
}

// "NAME:-word" of "${NAME:-word}".
std::string Expanded(std::string_view inner, const Variables& variables, bool& vague) {
  const size_t end = static_cast<size_t>(std::ranges::find_if_not(inner, IsNameSign) - inner.begin());
  const std::string name(inner.substr(0, end));
  std::string_view rest = inner.substr(end);
  const auto known = variables.find(name);
  const bool colon = rest.starts_with(':');
  if (colon) rest.remove_prefix(1);
  const bool set = known != variables.end() && !(colon && known->second.empty());
  if (rest.starts_with('-') && !set) return std::string(rest.substr(1));
  if (rest.starts_with('+')) return set ? std::string(rest.substr(1)) : "";
  if (known != variables.end() && (rest.empty() || rest.front() == '-' || rest.front() == '?'))
    return known->second;
  vague = true;
  return "${" + std::string(inner) + "}";
}

// Splits a shell text into words and the signs between commands.
class Splitter {
 public:
  struct Token {
    std::string text;
    size_t offset = 0;
    bool sign = false;  // ends a command: "&&", "||", ";", "|", "&", a line
  };
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<Token> Run() {
    for (at_ = 0; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '\n') {
        Sign("\n");
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '&' && text_.substr(at_).starts_with("&>")) {
        Redirect(2);
      } else if (c == '>' || (std::isdigit(static_cast<unsigned char>(c)) != 0 && NextIs('>'))) {
        Redirect(c == '>' ? 1 : 2);
      } else if (text_.substr(at_).starts_with("&&") || text_.substr(at_).starts_with("||")) {
        Sign(text_.substr(at_, 2));
      } else if (std::string_view(";|&(){}").find(c) != std::string_view::npos) {
        Sign(text_.substr(at_, 1));
      } else {
        Word();
      }
    }
    return std::move(tokens_);
  }

 private:
  bool NextIs(char c) const { return at_ + 1 < text_.size() && text_[at_ + 1] == c; }
  void Sign(std::string_view sign) {
    tokens_.push_back({std::string(sign), at_, true});
    at_ += sign.size();
  }
  // ">", ">>", "2>", "&>"; ">&2" names no file.
  void Redirect(size_t size) {
    const size_t begin = at_;
    at_ += size;
    const bool more = at_ < text_.size() && text_[at_] == '>';
    if (more) ++at_;
    if (at_ < text_.size() && text_[at_] == '&') {
      at_ = std::min(text_.find_first_of(" \t\n;&|", at_ + 1), text_.size());
      return;
    }
    tokens_.push_back({more ? ">>" : ">", begin});
  }
  void Word() {
    Token token{.text = "", .offset = at_};
    char quote = 0;
    int inside = 0;  // "$(...)" and "${...}" are part of the word
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && quote != '\'' && at_ + 1 < text_.size()) {
        token.text += text_[++at_];
      } else if (quote != 0) {
        if (c == quote)
          quote = 0;
        else
          token.text += c;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '$' && (NextIs('(') || NextIs('{'))) {
        ++inside;
        token.text += c;
        token.text += text_[++at_];
      } else if (inside > 0) {
        if (c == ')' || c == '}') --inside;
        token.text += c;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0 ||
                 std::string_view(";|&(){}>").find(c) != std::string_view::npos) {
        break;
      } else {
        token.text += c;
      }
    }
    tokens_.push_back(std::move(token));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

bool IsOpening(std::string_view word) {
  static constexpr std::array<std::string_view, 13> kOpening = {
      "if", "then", "else", "elif", "do", "while", "until", "!", "time", "sudo", "exec", "env", "nohup"};
  return std::ranges::find(kOpening, word) != kOpening.end();
}

// `bash -lc "..."`: the text; nullptr if it is none.
const std::string* InnerShell(const Words& words) {
  if (words.size() < 3) return nullptr;
  const std::string_view name = base::BaseName(words.front());
  if (name != "sh" && name != "bash" && name != "dash" && name != "zsh") return nullptr;
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (words[i].starts_with('-') && !words[i].starts_with("--") && words[i].ends_with('c'))
      return &words[i + 1];
  }
  return nullptr;
}

}  // namespace

void LinedText::Add(std::string_view more, uint64_t line) {
  lines.emplace_back(text.size(), line);
  text += more;
}

uint64_t LinedText::LineAt(size_t offset) const {
  const auto after = std::ranges::upper_bound(lines, offset, {}, &std::pair<size_t, uint64_t>::first);
  return after == lines.begin() ? 0 : std::prev(after)->second;
}

Substituted Substitute(std::string_view text, const Variables& variables, char escape, bool quoted) {
  Substituted result;
  bool single = false, twofold = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && !single) twofold = !twofold;
    if (quoted && c == '\'' && !twofold) single = !single;
    if (c == escape && !single && i + 1 < text.size() && text[i + 1] == '$') {
      result.text += quoted ? text.substr(i, 2) : text.substr(i + 1, 1);
      ++i;
      continue;
    }
    if (c != '$' || single || i + 1 >= text.size()) {
      result.text += c;
      continue;
    }
    std::string_view inner;
    size_t end = i + 1;
    if (text[end] == '{') {
      const size_t close = text.find('}', end);
      if (close != std::string_view::npos) inner = text.substr(end + 1, close - end - 1);
      end = close == std::string_view::npos ? end : close + 1;
    } else {
      while (end < text.size() && IsNameSign(text[end])) ++end;
      inner = text.substr(i + 1, end - i - 1);
    }
    if (inner.empty() || !IsNameSign(inner.front())) {
      result.text += c;
      continue;
    }
    result.text += Expanded(inner, variables, result.vague);
    i = end - 1;
    if (result.text.size() > kLongestValue) return {std::string(text), true};
  }
  return result;
}

std::string Quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += text.empty() ? "'" : " '";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    text += '\'';
  }
  return text;
}

std::vector<std::string> LineWords(std::string_view text) {
  Words words;
  for (auto& token : Splitter(text).Run()) words.push_back(std::move(token.text));
  return words;
}

void AddCommands(const LinedText& shell, std::vector<snapshot::RecipeStep>& steps, int depth) {
  snapshot::RecipeStep step{.kind = snapshot::StepKind::kRun};
  const auto finish = [&](std::string_view sign) {
    step.may_fail = sign == "||";
    if (steps.size() < kMostSteps && !step.words.empty()) {
      const std::string* inner = depth < kDeepestShell ? InnerShell(step.words) : nullptr;
      if (inner != nullptr) {
        LinedText text;
        text.Add(*inner, step.line);
        AddCommands(text, steps, depth + 1);
      } else {
        steps.push_back(step);
      }
    }
    step = {.kind = snapshot::StepKind::kRun};
  };
  for (Splitter::Token& token : Splitter(shell.text).Run()) {
    if (token.sign) {
      finish(token.text);
      continue;
    }
    if (step.words.empty() && (IsOpening(token.text) || IsAssignment(token.text))) continue;
    if (step.words.empty()) step.line = shell.LineAt(token.offset);
    step.words.push_back(std::move(token.text));
  }
  finish("");
}

}  // namespace culprit::collect
