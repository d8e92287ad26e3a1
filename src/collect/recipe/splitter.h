// A shell text as words and the signs between commands.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::collect {

inline bool IsNameSign(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

inline bool IsAssignment(std::string_view word) {
  const size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
         std::ranges::all_of(word.substr(0, equals), IsNameSign);
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
        if (c == '(' || c == '{') ++inside;
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

}  // namespace culprit::collect
