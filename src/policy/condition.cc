// Parses a condition: words, strings in double quotes, operators; `or` binds least, then `and`, then `not`.
// The text is untrusted: its length is limited, and anything unexpected is an error with its position, never
// a guess.
#include "policy/condition.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "base/python/pep440.h"
#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "collect/record.h"
#include "policy/names.h"

namespace culprit::policy {
namespace {

constexpr size_t kLongest = 4000;
constexpr int kDeepest = 32;
constexpr size_t kMostParts = 200;

struct Token {
  enum class Kind { kWord, kText, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string text{};
  size_t offset = 0;

  bool Is(std::string_view sign) const { return kind != Kind::kText && kind != Kind::kEnd && text == sign; }
};

bool IsWordSign(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("._+*-/:~").contains(c);
}

std::string Shown(const Token& token) {
  return token.kind == Token::Kind::kEnd ? "the end" : "'" + token.text + "'";
}

std::unexpected<Mistake> MistakeAt(size_t offset, std::string what) {
  return std::unexpected(Mistake{offset, std::move(what)});
}
std::unexpected<Mistake> Expected(const std::string& what, const Token& found) {
  return MistakeAt(found.offset, "expected " + what + ", found " + Shown(found));
}

std::expected<std::vector<Token>, Mistake> Tokens(std::string_view text) {
  if (text.size() > kLongest)
    return MistakeAt(0, "a condition may have at most " + std::to_string(kLongest) + " characters");
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
    } else if (text[i] == '"') {
      const size_t end = text.find('"', i + 1);
      if (end == text.npos) return MistakeAt(begin, "this string has no closing \"");
      if (const std::string_view inside = text.substr(i, end - i); base::Printable(inside) != inside)
        return MistakeAt(begin, "this string contains invisible characters");
      tokens.push_back({Token::Kind::kText, std::string(text.substr(i + 1, end - i - 1)), begin});
      i = end + 1;
    } else if (IsWordSign(text[i])) {
      while (i < text.size() && IsWordSign(text[i])) ++i;
      tokens.push_back({Token::Kind::kWord, std::string(text.substr(begin, i - begin)), begin});
    } else if (std::string_view("<>=!").contains(text[i])) {
      i += text.substr(i + 1, 1) == "=" ? 2 : 1;
      tokens.push_back({Token::Kind::kSign, std::string(text.substr(begin, i - begin)), begin});
    } else if (std::string_view("()[],").contains(text[i])) {
      tokens.push_back({Token::Kind::kSign, std::string(1, text[i++]), begin});
    } else {
      const size_t length = std::max<size_t>(base::SignAt(text.substr(i)).length, 1);
      return MistakeAt(begin, "'" + std::string(text.substr(i, length)) +
                                  "' is not expected here; put strings in double quotes");
    }
  }
  tokens.push_back({Token::Kind::kEnd, "", text.size()});
  return tokens;
}

std::string KindsInWords() {
  std::string words;
  for (const std::string_view word : WordsOf(Kind{}))
    words += (words.empty() ? "" : ", ") + std::string(word);
  return words;
}

// What is wrong with a value for facts of that kind; "" for nothing.
std::string MistakeInValue(ValueKind kind, Compare compare, const std::string& value) {
  const bool equality = compare == Compare::kEqual || compare == Compare::kNotEqual;
  if (kind == ValueKind::kText) return "";
  const bool open = value.ends_with(".*");
  if (open && !equality) return "'" + value + "' works only with == and !=";
  const std::string_view numbers = std::string_view(value).substr(0, value.size() - (open ? 2 : 0));
  const bool good = kind == ValueKind::kVersion ? base::Version::Parse(numbers).has_value()
                                                : base::PythonVersion::Parse(numbers).has_value();
  return good ? "" : "expected a version like 12.4 or 12.*, found '" + value + "'";
}

class ConditionReader {
 public:
  explicit ConditionReader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  using Read = std::expected<Condition, Mistake>;
  Read All() {
    auto condition = Either();
    if (condition && Next().kind != Token::Kind::kEnd) return Expected("'and', 'or' or the end", Next());
    return condition;
  }

 private:
  const Token& Next() const { return tokens_[at_]; }
  Token Take() { return Next().kind == Token::Kind::kEnd ? Next() : tokens_[at_++]; }
  bool Took(std::string_view sign) { return Next().Is(sign) && (++at_, true); }

  // Operands joined by the same word.
  template <typename Part>
  Read Chain(Condition::Op op, std::string_view word, Part part) {
    auto first = part();
    if (!first || !Next().Is(word)) return first;
    Condition chain{.op = op};
    chain.parts.push_back(*std::move(first));
    while (Took(word)) {
      auto more = part();
      if (!more) return more;
      chain.parts.push_back(*std::move(more));
    }
    return chain;
  }
  Read Either() {
    return Chain(Condition::Op::kOr, "or", [&] { return Both(); });
  }
  Read Both() {
    return Chain(Condition::Op::kAnd, "and", [&] { return One(); });
  }

  Read One() {
    if (depth_ >= kDeepest || ++parts_ > kMostParts)
      return MistakeAt(Next().offset, "this condition is too long; split it into several rules");
    ++depth_;
    Read read = OneOfAny();
    --depth_;
    return read;
  }

  Read OneOfAny() {
    if (Took("not")) {
      auto part = One();
      if (!part) return part;
      Condition negation{.op = Condition::Op::kNot};
      negation.parts.push_back(*std::move(part));
      return negation;
    }
    if (!Took("(")) return OfFacts();
    auto inside = Either();
    if (inside && !Took(")")) return Expected("')'", Next());
    return inside;
  }

  Read OfFacts() {
    Condition condition;
    const Token first = Next();
    const bool any = Took("any"), all = !any && Took("all");
    if (auto selector = ReadSelector(); selector) {
      condition.selector = *std::move(selector);
    } else {
      return std::unexpected(selector.error());
    }
    const Selector& selector = condition.selector;
    const bool one =
        !InfoOf(selector.kind).several || (selector.kind == Kind::kVariable && !selector.name.contains('*'));
    const std::string what(base::Word(selector.kind));
    const Token after = Next();
    if (auto read = ReadComparisons(selector.kind, condition.comparisons); !read)
      return std::unexpected(read.error());
    if (condition.comparisons.empty()) {
      if (all) return Expected("a comparison: 'all " + what + "' needs one", after);
      return condition;
    }
    if (one && (any || all))
      return MistakeAt(first.offset, "a machine has only one " + what + ": leave out '" + first.text + "'");
    if (!one && !any && !all)
      return MistakeAt(first.offset,
                       "there may be several: expected 'any " + what + "' or 'all " + what + "'");
    condition.quantity = one ? Quantity::kOne : any ? Quantity::kAny : Quantity::kAll;
    return condition;
  }

  std::expected<Selector, Mistake> ReadSelector() {
    const Token word = Take();
    const auto kind = word.kind == Token::Kind::kWord ? base::FromWord<Kind>(word.text) : std::nullopt;
    if (!kind) return Expected("one of " + KindsInWords(), word);
    Selector selector{.kind = *kind};
    if (InfoOf(*kind).named) {
      const Token name = Take();
      if (name.kind != Token::Kind::kWord && name.kind != Token::Kind::kText)
        return Expected("a name after '" + word.text + "'", name);
      auto meant = FactName(*kind, name.text);
      if (!meant) return MistakeAt(name.offset, std::move(meant.error()));
      selector.name = *std::move(meant);
    }
    if (!Took("at")) return selector;
    const Token place = Take();
    if (!InfoOf(*kind).placed)
      return MistakeAt(place.offset, "'" + word.text + "' is not in a directory; leave out 'at'");
    if (place.kind != Token::Kind::kWord && place.kind != Token::Kind::kText)
      return Expected("a directory after 'at'", place);
    const bool windows = place.text.size() > 2 && place.text.substr(1, 2) == ":\\";
    selector.place = windows ? base::FromWindowsPath(place.text) : place.text;
    return selector;
  }

  std::expected<void, Mistake> ReadComparisons(Kind kind, std::vector<Comparison>& comparisons) {
    do {
      const Token sign = Next();
      std::optional<Compare> compare =
          base::FromWord<Compare>(sign.kind == Token::Kind::kSign ? sign.text : "");
      const bool list = sign.Is("in");
      if (list) compare = Compare::kEqual;
      if (!compare) {
        if (sign.Is("=")) return MistakeAt(sign.offset, "expected '==', found '='");
        if (!comparisons.empty() && tokens_[at_ - 1].Is(",")) return Expected("a comparison after ','", sign);
        return {};
      }
      ++at_;
      const bool order = *compare != Compare::kEqual && *compare != Compare::kNotEqual;
      if (order && InfoOf(kind).value == ValueKind::kText)
        return MistakeAt(sign.offset,
                         "'" + std::string(base::Word(kind)) + "' is a string; compare it with ==, != or in");
      Comparison& comparison = comparisons.emplace_back(*compare);
      if (auto read = list ? ReadList(kind, comparison) : ReadValue(kind, comparison); !read) return read;
    } while (Took(","));
    return {};
  }

  std::expected<void, Mistake> ReadList(Kind kind, Comparison& comparison) {
    if (!Took("[")) return Expected("'[' after 'in'", Next());
    do {
      if (auto read = ReadValue(kind, comparison); !read) return read;
    } while (Took(","));
    if (!Took("]")) return Expected("',' or ']'", Next());
    return {};
  }

  std::expected<void, Mistake> ReadValue(Kind kind, Comparison& comparison) {
    const Token value = Take();
    if (value.kind != Token::Kind::kWord && value.kind != Token::Kind::kText)
      return Expected("a value", value);
    if (std::string why = MistakeInValue(InfoOf(kind).value, comparison.compare, value.text); !why.empty())
      return MistakeAt(value.offset, std::move(why));
    comparison.values.push_back(value.text);
    return {};
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  size_t parts_ = 0;
};

}  // namespace

bool IsRecorded(const std::string& variable) {
  return !variable.starts_with("SLURM") && !collect::RelevantEnvironment({{variable, ""}}).empty();
}

std::expected<Condition, Mistake> ParseCondition(std::string_view text) {
  auto tokens = Tokens(text);
  if (!tokens) return std::unexpected(tokens.error());
  return ConditionReader(*std::move(tokens)).All();
}

}  // namespace culprit::policy
