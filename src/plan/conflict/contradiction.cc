#include "plan/conflict/contradiction.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/python/pep440.h"
#include "base/text.h"
#include "plan/project/dependency.h"

namespace culprit::plan {
namespace {

using From = BoundingLine::From;

// The versions that one part of a specifier allows.
struct Span {
  std::string part;       // ">=2.1"
  std::string low, high;  // "" = no end
  bool low_in = true, high_in = true;
  bool not_equal = false;  // all but these
  bool IsPoint() const { return !low.empty() && low == high && !not_equal; }
};

// "2.1" of "2.1.4"; versions below it are those that "2.1.*" allows.
std::string Parent(const std::string& version) {
  const size_t dot = version.rfind('.');
  return dot == std::string::npos ? version : version.substr(0, dot);
}

constexpr const char* kAboveAll = ".999999";

Span SpanOf(const std::string& part) {
  const size_t sign = std::min(part.find_first_not_of("=<>~!"), part.size());
  const std::string op = part.substr(0, sign);
  std::string version = part.substr(sign);
  Span span{.part = part};
  if (op == "==" || op == "!=") {
    const bool any = version.ends_with(".*");
    if (any) version.resize(version.size() - 2);
    span.low = version;
    span.high = any ? version + kAboveAll : version;
    span.not_equal = op == "!=";
  } else if (op == "~=") {
    const bool plain = version.find_first_not_of("0123456789.") == std::string::npos;  // no ".post1"
    span.low = version;
    if (plain) span.high = Parent(version) + kAboveAll;
  } else if (op == ">" || op == ">=") {
    span.low = version;
    span.low_in = op == ">=";
  } else if (op == "<" || op == "<=") {
    span.high = version;
    span.high_in = op == "<=";
  }
  return span;
}

bool IsAbove(const Span& one, const Span& other) {
  if (one.low.empty() || other.high.empty()) return false;
  const char* op = one.low_in && other.high_in ? "<=" : "<";
  return base::Meets(one.low, op + other.high) == false;
}

bool Exclude(const Span& one, const Span& other) {
  const auto misses = [](const std::string& version, const Span& span) {
    return base::Meets(version, span.part) == false;
  };
  if (one.IsPoint() && other.IsPoint()) return misses(one.low, other) && misses(other.low, one);
  if (one.IsPoint()) return misses(one.low, other);
  if (other.IsPoint()) return misses(other.low, one);
  if (one.not_equal && other.not_equal) return false;
  if (one.not_equal || other.not_equal) {  // "==1.*" and "!=1.*"
    const Span& some = one.not_equal ? other : one;
    const Span& none = one.not_equal ? one : other;
    return !some.low.empty() && !some.high.empty() && some.part.starts_with("==") && misses(some.low, none) &&
           misses(some.high, none);
  }
  return IsAbove(one, other) || IsAbove(other, one);
}

bool Exclude(const std::string& a, const std::string& b) {
  for (const std::string& one : base::Split(a, ',')) {
    for (const std::string& two : base::Split(b, ',')) {
      if (!one.empty() && !two.empty() && Exclude(SpanOf(one), SpanOf(two))) return true;
    }
  }
  return false;
}

// In the order in which answers name them: what is installed before what bounds it.
std::vector<BoundingLine> BoundingLinesOf(const Question& question) {
  std::vector<BoundingLine> lines;
  for (size_t i = 0; i < question.passed_through.size(); ++i) {
    const report::PassedThrough& passed = question.passed_through[i];
    if (passed.kind == report::RequirementKind::kNamed)
      lines.push_back({From::kPassed, i, passed.name, passed.specifier, WordsOf(passed)});
  }
  for (size_t i = 0; i < question.wants.size(); ++i) {
    const Want& want = question.wants[i];
    lines.push_back({From::kWant, i, want.asked, want.specifiers, want.text});
  }
  const auto add = [&](From from, const std::vector<Limit>& limits) {
    for (size_t i = 0; i < limits.size(); ++i)
      lines.push_back({from, i, limits[i].asked, limits[i].specifiers, limits[i].words});
  };
  add(From::kLimit, question.limits);
  add(From::kOtherLimit, question.other_limits);
  std::erase_if(lines, [&](const BoundingLine& line) {
    return line.specifiers.empty() || question.overridden.contains(line.name);
  });
  return lines;
}

}  // namespace

std::optional<Contradiction> FindContradiction(const Question& question) {
  std::map<std::string, std::vector<const BoundingLine*>> passed;  // by name
  const std::vector<BoundingLine> lines = BoundingLinesOf(question);
  for (const BoundingLine& line : lines) {
    const bool installs = line.from == From::kPassed || line.from == From::kWant;
    if (installs && Exclude(line.specifiers, line.specifiers)) return Contradiction{line, std::nullopt};
    if (line.name.empty()) continue;
    std::vector<const BoundingLine*>& same = passed[line.name];
    for (const BoundingLine* other : same) {
      if (Exclude(other->specifiers, line.specifiers)) return Contradiction{*other, line};
    }
    if (line.from == From::kPassed) same.push_back(&line);
  }
  return std::nullopt;
}

Question WithoutLine(Question question, const BoundingLine& line) {
  const auto erase = [&](auto& list) { list.erase(list.begin() + static_cast<std::ptrdiff_t>(line.index)); };
  switch (line.from) {
    case From::kWant:
      erase(question.wants);
      break;
    case From::kPassed:
      question.provided.erase(question.passed_through[line.index].unlisted_of);
      erase(question.passed_through);
      break;
    case From::kLimit:
      erase(question.limits);
      break;
    case From::kOtherLimit:
      erase(question.other_limits);
      break;
  }
  return question;
}

std::string WordsOf(const report::PassedThrough& passed) {
  return base::Printable(passed.text) + PlaceWords(passed.origin);
}

}  // namespace culprit::plan
