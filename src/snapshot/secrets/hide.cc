// One pass over the text, no regular expressions: a hostile line costs no more than another.
#include "snapshot/secrets/hide.h"

#include <algorithm>
#include <array>
#include <utility>

#include "snapshot/secrets/colours.h"
#include "snapshot/secrets/secret_name.h"

namespace culprit::snapshot {
namespace {

bool IsAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool InName(char c) { return IsAlnum(c) || c == '_' || c == '-' || c == '.'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr size_t kLongestName = 1000;
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

// Where the password begins in "ada:hunter2"; 0 where there is none, as in "1000:1000" and "https://x".
size_t PasswordIn(std::string_view user) {
  const size_t colon = user.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 >= user.size() || user[colon + 1] == '/')
    return 0;
  const bool number = std::ranges::all_of(user, [](char c) { return (c >= '0' && c <= '9') || c == ':'; });
  return number ? 0 : colon + 1;
}

using Ranges = std::vector<std::pair<size_t, size_t>>;

// Finds what is to be hidden in a text.
class Hider {
 public:
  Hider(std::string_view text, const std::vector<std::string>& known) : text_(text), known_(known) {}

  Ranges RunForTokens() {
    while (at_ < text_.size()) {
      const bool word_begins = at_ == 0 || !IsAlnum(text_[at_ - 1]);
      if (!word_begins || (!Token() && !WebToken())) ++at_;
    }
    return std::move(hidden_);
  }

  Ranges Run() {
    while (at_ < text_.size()) {
      if (!Known() && !Begins()) ++at_;
    }
    return std::move(hidden_);
  }

 private:
  std::string_view Rest() const { return text_.substr(at_); }
  bool Here(std::string_view word) const { return Rest().starts_with(word); }

  bool Hide(size_t from, size_t to) {
    hidden_.emplace_back(from, to);
    at_ = to;
    return true;
  }

  // What may begin with the character here.
  bool Begins() {
    const char c = text_[at_];
    if (c == ':') return Url();
    if (c == '-') return PrivateKey() || UserOption();
    const bool word_begins = at_ == 0 || !IsAlnum(text_[at_ - 1]);
    return word_begins && IsAlnum(c) && (Token() || WebToken() || Bearer() || Named());
  }

  bool Known() {
    for (const std::string& secret : known_) {
      if (secret.size() >= kShortestKnown && Here(secret)) return Hide(at_, at_ + secret.size());
    }
    return false;
  }

  bool Token() {
    for (const Shape& shape : kShapes) {
      if (shape.prefix.front() != text_[at_] || !Here(shape.prefix)) continue;
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

  // "-u ada:hunter2" of curl; not "-u 1000:1000" of docker.
  bool UserOption() {
    if (at_ > 0 && !IsSpace(text_[at_ - 1])) return false;
    for (const std::string_view option : {"-u ", "-U ", "--user ", "--user=", "--proxy-user "}) {
      if (!Here(option)) continue;
      size_t begin = at_ + option.size();
      if (begin < text_.size() && (text_[begin] == '"' || text_[begin] == '\'')) ++begin;
      const size_t end = EndOfValue(begin, '\0');
      const size_t password = PasswordIn(text_.substr(begin, end - begin));
      return password > 0 && Hide(begin + password, end);
    }
    return false;
  }

  // Of an option; none inside a word.
  size_t DashesBefore() const {
    size_t dashes = 0;
    while (dashes < 2 && dashes < at_ && text_[at_ - dashes - 1] == '-') ++dashes;
    return dashes == at_ || !InName(text_[at_ - dashes - 1]) ? dashes : 0;
  }

  // NAME=value, "name": "value", --name value.
  bool Named() {
    const size_t dashes = DashesBefore();
    if (dashes == 0 && at_ > 0 && InName(text_[at_ - 1])) return false;
    size_t end = at_;
    while (end < text_.size() && end - at_ <= kLongestName && InName(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    const bool option = dashes > 0;
    if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'')) ++end;
    size_t value = SkipSpaces(end, 2);
    const char separator = value < text_.size() ? text_[value] : '\0';
    if (separator == '=' || separator == ':') {
      value = SkipSpaces(value + 1, 3);
    } else if (!option || value == end) {
      return SkipName(end);
    }
    const Secrecy secrecy = SecrecyOf(name);
    if (secrecy == Secrecy::kNone) return SkipName(end);
    char quote = '\0';
    if (value < text_.size() && (text_[value] == '"' || text_[value] == '\'')) quote = text_[value++];
    if (separator == ':' && IsHeader(name)) return HideHeader(value);
    const size_t value_end = EndOfValue(value, quote);
    const bool sentence = separator == ':' && quote == '\0';  // "token: } expected"
    const bool in_url = at_ > 0 && (text_[at_ - 1] == '?' || text_[at_ - 1] == '&');
    const Secrecy here = option || in_url ? Secrecy::kCertain : secrecy;
    if (!Worth(text_.substr(value, value_end - value), here, sentence)) return SkipName(end);
    return Hide(value, value_end);
  }

  size_t SkipSpaces(size_t at, size_t most) const {
    const size_t from = at;
    while (at < text_.size() && text_[at] == ' ' && at - from < most) ++at;
    return at;
  }

  static bool IsHeader(std::string_view name) {
    return name.ends_with("uthorization") || name.ends_with("ookie") || name.ends_with("OOKIE");
  }

  // All of the line or string, but for the scheme: "Authorization: token abc".
  bool HideHeader(size_t value) {
    const size_t end = std::min(text_.find_first_of("\r\n\"'", value), text_.size());
    size_t scheme = value;
    while (scheme < end && IsAlnum(text_[scheme])) ++scheme;
    if (scheme + 1 < end && text_[scheme] == ' ') value = scheme + 1;
    return end > value ? Hide(value, end) : SkipName(value);
  }

  static bool Worth(std::string_view value, Secrecy secrecy, bool sentence) {
    if (IsHarmless(value) || IsPath(value)) return false;
    if (secrecy == Secrecy::kCertain) return true;
    if (sentence) return LooksRandom(value);
    return value.size() >= 8 && std::ranges::any_of(value, [](char c) { return c >= '0' && c <= '9'; }) &&
           std::ranges::any_of(value, [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; });
  }

  // As a whole: its end is no beginning of another name.
  bool SkipName(size_t end) {
    size_t stop = at_;
    while (stop < end && IsAlnum(text_[stop])) ++stop;
    if (stop == at_) return false;
    at_ = stop;
    return true;
  }

  std::string_view text_;
  const std::vector<std::string>& known_;
  Ranges hidden_;
  size_t at_ = 0;
};

// The text without the ranges. `places`: where its characters stand in `text`; empty: as they are.
std::string Without(const Ranges& hidden, std::string_view text, const std::vector<size_t>& places) {
  std::string out;
  size_t done = 0;
  for (const auto& [from, to] : hidden) {
    const size_t begin = places.empty() || from == to ? from : places[from];
    const size_t end = places.empty() || from == to ? to : places[to - 1] + 1;
    out += text.substr(done, begin - done);
    out += kHidden;
    done = end;
  }
  out += text.substr(done);
  return out;
}

// An option whose value is the next argument.
bool TakesSecret(const std::string& argument) {
  return argument.size() > 2 && argument.starts_with('-') && argument.find('=') == std::string::npos &&
         SecrecyOf(argument) != Secrecy::kNone;
}

bool TakesUser(std::string_view argument) {
  return argument == "-u" || argument == "-U" || argument == "--user" || argument == "--proxy-user";
}

std::string HideArgument(const std::string& argument, std::string_view before,
                         const std::vector<std::string>& known) {
  if (!argument.empty() && !argument.starts_with('-') && TakesSecret(std::string(before)))
    return std::string(kHidden);
  if (const size_t password = TakesUser(before) ? PasswordIn(argument) : 0; password > 0)
    return argument.substr(0, password) + std::string(kHidden);
  return HideSecrets(argument, known);
}

}  // namespace

std::string HideSecrets(std::string_view text, const std::vector<std::string>& known) {
  if (!MayHaveColours(text)) return Without(Hider(text, known).Run(), text, {});
  const Uncoloured plain = WithoutColours(text);
  return Without(Hider(plain.text, known).Run(), text, plain.places);
}

std::string HideTokens(std::string_view text) { return Without(Hider(text, {}).RunForTokens(), text, {}); }

std::vector<std::string> HideSecrets(const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& known) {
  std::vector<std::string> hidden;
  std::string_view before;
  for (const std::string& argument : arguments) {
    hidden.push_back(HideArgument(argument, before, known));
    before = argument;
  }
  return hidden;
}

std::string HideVariable(std::string_view name, std::string value) {
  if (IsPath(value)) return value;
  if (SecrecyOf(name) != Secrecy::kNone) return IsHarmless(value) ? value : std::string(kHidden);
  // A proxy may be written without its scheme.
  const size_t at = value.rfind('@');
  if (at != std::string::npos && value.find_first_of(" /=") == std::string::npos) {
    if (const size_t password = PasswordIn(std::string_view(value).substr(0, at)); password > 0)
      return value.substr(0, password) + std::string(kHidden) + value.substr(at);
  }
  return HideSecrets(value);
}

std::vector<std::string> SecretValues(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> values;
  for (const auto& [name, value] : environment) {
    if (value.size() >= kShortestKnown && SecrecyOf(name) != Secrecy::kNone && !IsHarmless(value) &&
        !IsPath(value))
      values.push_back(value);
  }
  // The longest first: one may be the beginning of another.
  std::ranges::sort(values, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return values;
}

}  // namespace culprit::snapshot
