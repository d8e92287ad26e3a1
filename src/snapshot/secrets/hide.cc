// One pass over the text, no regular expressions: a hostile line costs no more than another.
#include "snapshot/record/redact.h"

#include <algorithm>
#include <array>

#include "snapshot/record/secret_name.h"

namespace culprit::record {
namespace {

bool IsAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool InName(char c) { return IsAlnum(c) || c == '_' || c == '-' || c == '.'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr size_t kLongestName = 80;
constexpr size_t kShortestKnown = 8;

// A kind of token that is known by its beginning.
struct Shape {
  std::string_view prefix;
  size_t least;     // characters after it
  bool dashes;      // '-' and '_' among them
  bool needs_both;  // capital and small letters: the prefix alone is too common
};
constexpr std::array kShapes = {
    Shape{"hf_", 20, false, true},         Shape{"ghp_", 20, false, false},
    Shape{"gho_", 20, false, false},       Shape{"ghu_", 20, false, false},
    Shape{"ghs_", 20, false, false},       Shape{"ghr_", 20, false, false},
    Shape{"github_pat_", 20, true, false}, Shape{"glpat-", 15, true, false},
    Shape{"sk-", 20, true, true},          Shape{"sk_live_", 16, false, false},
    Shape{"rk_live_", 16, false, false},   Shape{"xoxb-", 10, true, false},
    Shape{"xoxp-", 10, true, false},       Shape{"xoxa-", 10, true, false},
    Shape{"xoxs-", 10, true, false},       Shape{"AKIA", 16, false, false},
    Shape{"ASIA", 16, false, false},       Shape{"AIza", 30, true, true},
    Shape{"ya29.", 20, true, false},       Shape{"npm_", 30, false, true},
    Shape{"pypi-", 40, true, true},        Shape{"nvapi-", 20, true, true},
    Shape{"dop_v1_", 30, false, false},
};

bool HasBothCases(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; }) &&
         std::ranges::any_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
}

class Hider {
 public:
  Hider(std::string_view text, const std::vector<std::string>& known) : text_(text), known_(known) {}

  std::string Run() {
    while (at_ < text_.size()) {
      const bool word_begins = at_ == 0 || !IsAlnum(text_[at_ - 1]);
      if (Known() || PrivateKey() || Url() || (word_begins && (Token() || WebToken() || Bearer() || Named())))
        continue;
      out_ += text_[at_++];
    }
    return std::move(out_);
  }

 private:
  std::string_view Rest() const { return text_.substr(at_); }
  bool Here(std::string_view word) const { return Rest().starts_with(word); }

  // Keeps what stands before `from` and hides what stands until `to`.
  bool Hide(size_t from, size_t to) {
    out_ += text_.substr(at_, from - at_);
    out_ += kHidden;
    at_ = to;
    return true;
  }

  bool Known() {
    for (const std::string& secret : known_) {
      if (secret.size() >= kShortestKnown && Here(secret)) return Hide(at_, at_ + secret.size());
    }
    return false;
  }

  bool Token() {
    for (const Shape& shape : kShapes) {
      if (!Here(shape.prefix)) continue;
      const size_t begin = at_ + shape.prefix.size();
      size_t end = begin;
      while (end < text_.size() &&
             (IsAlnum(text_[end]) || (shape.dashes && (text_[end] == '-' || text_[end] == '_'))))
        ++end;
      const std::string_view body = text_.substr(begin, end - begin);
      if (body.size() < shape.least || (shape.needs_both && !HasBothCases(body))) continue;
      return Hide(begin, end);
    }
    return false;
  }

  // Three parts of base64 with points between them, the first the beginning of {" .
  bool WebToken() {
    if (!Here("eyJ")) return false;
    size_t end = at_, points = 0;
    while (end < text_.size() && (InName(text_[end]))) points += text_[end++] == '.' ? 1 : 0;
    return points >= 1 && end - at_ >= 30 && Hide(at_, end);
  }

  bool PrivateKey() {
    if (!Here("-----BEGIN ")) return false;
    const size_t line_end = std::min(text_.find('\n', at_), text_.size());
    if (text_.substr(at_, line_end - at_).find("PRIVATE KEY") == std::string_view::npos) return false;
    return Hide(line_end, std::min(text_.find("-----END ", line_end), text_.size()));
  }

  // scheme://user:password@host
  bool Url() {
    if (!Here("://")) return false;
    const size_t begin = at_ + 3;
    size_t end = begin, sign = std::string_view::npos;
    while (end < text_.size() && !IsSpace(text_[end]) &&
           std::string_view("/\"'<>?#").find(text_[end]) == std::string_view::npos) {
      if (text_[end] == '@') sign = end;
      ++end;
    }
    if (sign == std::string_view::npos) return false;
    const std::string_view user = text_.substr(begin, sign - begin);
    const size_t colon = user.find(':');
    if (colon != std::string_view::npos && colon + 1 < user.size()) return Hide(begin + colon + 1, sign);
    return LooksRandom(user) && Hide(begin, sign);
  }

  bool Bearer() {
    for (const std::string_view word : {"Bearer ", "bearer ", "Basic "}) {
      if (!Here(word)) continue;
      const size_t begin = at_ + word.size();
      const size_t end = EndOfValue(begin, '\0');
      const std::string_view value = text_.substr(begin, end - begin);
      return value.size() >= 12 && (LooksRandom(value) || HasBothCases(value)) && Hide(begin, end);
    }
    return false;
  }

  size_t EndOfValue(size_t at, char quote) const {
    while (at < text_.size() && text_[at] != '\n') {
      if (quote != '\0'
              ? text_[at] == quote
              : IsSpace(text_[at]) || std::string_view(",;&\"')]}").find(text_[at]) != std::string_view::npos)
        break;
      ++at;
    }
    return at;
  }

  // NAME=value, "name": "value", --name value.
  bool Named() {
    if (!IsAlnum(text_[at_])) return false;
    size_t end = at_;
    while (end < text_.size() && end - at_ <= kLongestName && InName(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    const Secrecy secrecy = SecrecyOf(name);
    if (secrecy == Secrecy::kNone) return SkipName(end);
    const bool option = at_ >= 2 && text_.substr(at_ - 2, 2) == "--";
    if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'')) ++end;
    size_t value = end;
    while (value < text_.size() && text_[value] == ' ' && value - end < 2) ++value;
    char separator = value < text_.size() ? text_[value] : '\0';
    if (separator == '=' || separator == ':') {
      ++value;
      while (value < text_.size() && text_[value] == ' ' && value - end < 4) ++value;
    } else if (option && value > end) {
      separator = ' ';
    } else {
      return SkipName(end);
    }
    char quote = '\0';
    if (value < text_.size() && (text_[value] == '"' || text_[value] == '\'')) quote = text_[value++];
    const size_t value_end = EndOfValue(value, quote);
    if (!Worth(text_.substr(value, value_end - value), secrecy, option || quote != '\0' ? '=' : separator))
      return SkipName(end);
    return Hide(value, value_end);
  }

  static bool Worth(std::string_view value, Secrecy secrecy, char separator) {
    for (const std::string_view harmless :
         {"", "true", "false", "True", "False", "none", "None", "null", "***"}) {
      if (value == harmless) return false;
    }
    // A placeholder, code, or "::".
    if (std::string_view("$<{[:(%").find(value.front()) != std::string_view::npos) return false;
    if (secrecy == Secrecy::kCertain) return true;
    if (separator == ':') return LooksRandom(value);
    return value.size() >= 8 && std::ranges::any_of(value, [](char c) { return c >= '0' && c <= '9'; }) &&
           std::ranges::any_of(value, [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; });
  }

  // As a whole: its end is no beginning of another name.
  bool SkipName(size_t end) {
    size_t stop = at_;
    while (stop < end && IsAlnum(text_[stop])) ++stop;
    if (stop == at_) return false;
    out_ += text_.substr(at_, stop - at_);
    at_ = stop;
    return true;
  }

  std::string_view text_;
  const std::vector<std::string>& known_;
  std::string out_;
  size_t at_ = 0;
};

}  // namespace

std::string HideSecrets(std::string_view text, const std::vector<std::string>& known) {
  return Hider(text, known).Run();
}

std::vector<std::string> HideSecrets(const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& known) {
  std::vector<std::string> hidden;
  bool next = false;
  for (const std::string& argument : arguments) {
    const bool option = argument.starts_with('-');
    hidden.push_back(next && !option && !argument.empty() ? std::string(kHidden)
                                                          : HideSecrets(argument, known));
    next = argument.starts_with("--") && argument.find('=') == std::string::npos &&
           SecrecyOf(argument) != Secrecy::kNone;
  }
  return hidden;
}

std::vector<std::string> SecretValues(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> values;
  for (const auto& [name, value] : environment) {
    if (value.size() >= kShortestKnown && value.front() != '/' && SecrecyOf(name) != Secrecy::kNone)
      values.push_back(value);
  }
  // The longest first: one may be the beginning of another.
  std::ranges::sort(values, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return values;
}

}  // namespace culprit::record
