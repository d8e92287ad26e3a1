#include "base/python/pep440.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace culprit::base {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Consumes leading digits; nullopt if there are none or too many.
std::optional<uint64_t> TakeNumber(std::string_view& text) {
  size_t end = 0;
  uint64_t value = 0;
  while (end < text.size() && IsDigit(text[end]))
    value = value * 10 + static_cast<uint64_t>(text[end++] - '0');
  if (end == 0 || end > 18) return std::nullopt;
  text.remove_prefix(end);
  return value;
}

void SkipSeparator(std::string_view& text) {
  if (!text.empty() && (text[0] == '.' || text[0] == '-' || text[0] == '_')) text.remove_prefix(1);
}

// A word such as "rc" with separators around it, and its number (0 if it has none).
std::optional<uint64_t> TakeWord(std::string_view& text, std::string_view word) {
  std::string_view rest = text;
  SkipSeparator(rest);
  if (!rest.starts_with(word)) return std::nullopt;
  rest.remove_prefix(word.size());
  std::string_view after = rest;
  SkipSeparator(after);
  if (!after.empty() && IsDigit(after[0])) rest = after;
  const uint64_t number = TakeNumber(rest).value_or(0);
  text = rest;
  return number;
}

uint64_t Part(const std::vector<uint64_t>& release, size_t index) {
  return index < release.size() ? release[index] : 0;
}

std::strong_ordering CompareRelease(const PythonVersion& a, const PythonVersion& b) {
  if (a.epoch != b.epoch) return a.epoch <=> b.epoch;
  for (size_t i = 0; i < std::max(a.release.size(), b.release.size()); ++i) {
    if (const auto order = Part(a.release, i) <=> Part(b.release, i); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

// 1.0.dev1 < 1.0a1 < 1.0rc1 < 1.0 < 1.0.post1
std::pair<int, uint64_t> PreKey(const PythonVersion& v) {
  if (v.pre) return {v.pre->first - 'a', v.pre->second};
  return {!v.post && v.dev ? -1 : 9, 0};
}

bool SameNumbers(const PythonVersion& version, const PythonVersion& prefix) {
  if (version.epoch != prefix.epoch) return false;
  for (size_t i = 0; i < prefix.release.size(); ++i) {
    if (Part(version.release, i) != prefix.release[i]) return false;
  }
  return true;
}

bool Equal(const PythonVersion& version, const PythonVersion& wanted) {
  if (version.ComparePublic(wanted) != 0) return false;
  return wanted.local.empty() || version.local == wanted.local;
}

constexpr std::array<std::string_view, 8> kOperators = {"===", "==", "!=", "<=", ">=", "~=", "<", ">"};

}  // namespace

std::optional<PythonVersion> PythonVersion::Parse(std::string_view text) {
  std::string lower;
  for (const char c : Trim(text)) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string_view rest = lower;
  if (rest.starts_with('v')) rest.remove_prefix(1);
  PythonVersion version;
  if (const size_t plus = rest.find('+'); plus != std::string_view::npos) {
    version.local = rest.substr(plus + 1);
    std::ranges::replace_if(version.local, [](char c) { return c == '-' || c == '_'; }, '.');
    rest = rest.substr(0, plus);
  }
  auto number = TakeNumber(rest);
  if (!number) return std::nullopt;
  if (rest.starts_with('!')) {
    version.epoch = *number;
    rest.remove_prefix(1);
    number = TakeNumber(rest);
    if (!number) return std::nullopt;
  }
  version.release.push_back(*number);
  while (rest.size() > 1 && rest[0] == '.' && IsDigit(rest[1])) {
    rest.remove_prefix(1);
    number = TakeNumber(rest);
    if (!number) return std::nullopt;
    version.release.push_back(*number);
  }
  if (rest.empty()) return version;
  static constexpr std::array<std::pair<std::string_view, char>, 8> kPre = {{{"alpha", 'a'},
                                                                             {"beta", 'b'},
                                                                             {"preview", 'c'},
                                                                             {"pre", 'c'},
                                                                             {"rc", 'c'},
                                                                             {"a", 'a'},
                                                                             {"b", 'b'},
                                                                             {"c", 'c'}}};
  for (const auto& [word, letter] : kPre) {
    if (const auto taken = TakeWord(rest, word)) {
      version.pre = {letter, *taken};
      break;
    }
  }
  if (const auto post = TakeWord(rest, "post")) version.post = post;
  if (rest.size() > 1 && rest[0] == '-' && IsDigit(rest[1])) {  // 1.0-1 is 1.0.post1
    rest.remove_prefix(1);
    version.post = TakeNumber(rest);
  }
  if (const auto dev = TakeWord(rest, "dev")) version.dev = dev;
  return rest.empty() ? std::optional(version) : std::nullopt;
}

std::strong_ordering PythonVersion::ComparePublic(const PythonVersion& other) const {
  if (const auto order = CompareRelease(*this, other); order != 0) return order;
  if (const auto order = PreKey(*this) <=> PreKey(other); order != 0) return order;
  const auto post_key = [](const PythonVersion& v) { return v.post ? *v.post + 1 : 0; };
  if (const auto order = post_key(*this) <=> post_key(other); order != 0) return order;
  const auto dev_key = [](const PythonVersion& v) { return v.dev ? *v.dev : UINT64_MAX; };
  return dev_key(*this) <=> dev_key(other);
}

SpecifierSet::SpecifierSet(std::string_view specifier) {
  for (const std::string& text : SplitWords(specifier, ", ")) {
    const auto found =
        std::ranges::find_if(kOperators, [&](std::string_view op) { return text.starts_with(op); });
    Clause& clause = clauses_.emplace_back();
    if (found == kOperators.end()) continue;
    std::string_view operand = Trim(std::string_view(text).substr(found->size()));
    clause.operand = operand;
    clause.any_tail = operand.ends_with(".*");
    if (clause.any_tail) operand.remove_suffix(2);
    const auto wanted = PythonVersion::Parse(operand);
    const bool tail_fits = !clause.any_tail || *found == "==" || *found == "!=";
    const bool long_enough = *found != "~=" || (wanted && wanted->release.size() > 1);
    if (*found != "===" && (!wanted || !tail_fits || !long_enough)) continue;
    clause.op = *found;
    if (wanted) clause.wanted = *wanted;
  }
}

bool SpecifierSet::Accepts(const Clause& clause, const PythonVersion& version, std::string_view text) {
  const std::string_view op = clause.op;
  const PythonVersion& wanted = clause.wanted;
  if (op == "===") return text == clause.operand;
  if (op == "==" || op == "!=") {
    const bool same = clause.any_tail ? SameNumbers(version, wanted) : Equal(version, wanted);
    return same == (op == "==");
  }
  const auto order = version.ComparePublic(wanted);
  if (op == "<=") return order <= 0;
  if (op == ">=") return order >= 0;
  if (op == "<") {  // <2.6 does not accept 2.6rc1
    return order < 0 && !(!wanted.pre && !wanted.dev && version.pre && CompareRelease(version, wanted) == 0);
  }
  if (op == ">") {  // >2.5 does not accept 2.5.post1
    return order > 0 && !(!wanted.post && version.post && CompareRelease(version, wanted) == 0);
  }
  PythonVersion prefix{.epoch = wanted.epoch, .release = wanted.release};
  prefix.release.pop_back();
  return order >= 0 && SameNumbers(version, prefix);
}

std::optional<bool> SpecifierSet::Accepts(const PythonVersion& version, std::string_view text) const {
  bool all = true;
  for (const Clause& clause : clauses_) {
    if (clause.op.empty()) return std::nullopt;
    all = all && Accepts(clause, version, text);
  }
  return all;
}

std::optional<bool> Meets(std::string_view version, std::string_view specifier) {
  if (Trim(specifier).empty()) return true;
  const auto parsed = PythonVersion::Parse(version);
  if (!parsed) return std::nullopt;
  return SpecifierSet(specifier).Accepts(*parsed, version);
}

}  // namespace culprit::base
