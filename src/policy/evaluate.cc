#include "policy/evaluate.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/python/pep440.h"
#include "base/version.h"
#include "policy/names.h"
#include "snapshot/path_pattern.h"

namespace culprit::policy {
namespace {

// The numbers at the front of "6.1.0-18-amd64".
std::optional<base::Version> VersionIn(std::string_view text) {
  std::string_view numbers = text.substr(0, std::min(text.find_first_not_of("0123456789."), text.size()));
  while (numbers.ends_with('.')) numbers.remove_suffix(1);
  return base::Version::Parse(numbers);
}

// The position of a version. The known version may have fewer numbers than the real one ("12.4" of a toolkit,
// "9" of a cuDNN); then some comparisons are undecided.
struct Order {
  std::optional<bool> equal, less;
};

// `open`: the bound ends with ".*".
Order OrderOf(const base::Version& version, const base::Version& bound, bool open, size_t full) {
  const size_t known = version.parts.size(), asked = bound.parts.size();
  for (size_t i = 0; i < std::max(known, asked); ++i) {
    if (i == asked && open) return {true, false};
    if (i >= known && known < full) {
      const bool rest =
          std::any_of(bound.parts.begin() + i, bound.parts.end(), [](uint32_t part) { return part > 0; });
      return {std::nullopt, rest ? std::nullopt : std::optional(false)};
    }
    if (version.part(i) != bound.part(i)) return {false, version.part(i) < bound.part(i)};
  }
  if (!open && known < full) return {std::nullopt, false};
  return {true, false};
}

std::optional<bool> Negated(std::optional<bool> holds) {
  return holds ? std::optional(!*holds) : std::nullopt;
}

std::optional<bool> VersionHolds(const Fact& fact, Compare compare, std::string_view asked) {
  const auto version = VersionIn(fact.value);
  const bool open = asked.ends_with(".*");
  const auto bound = base::Version::Parse(asked.substr(0, asked.size() - (open ? 2 : 0)));
  if (!version || !bound) return std::nullopt;
  const auto [equal, less] = OrderOf(*version, *bound, open, InfoOf(fact.kind).numbers);
  const std::optional<bool> more = less.value_or(false) || equal.value_or(false) ? std::optional(false)
                                   : less && equal                               ? std::optional(true)
                                                                                 : std::nullopt;
  switch (compare) {
    case Compare::kEqual:
      return equal;
    case Compare::kNotEqual:
      return Negated(equal);
    case Compare::kAtLeast:
      return Negated(less);
    case Compare::kAtMost:
      return Negated(more);
    case Compare::kMore:
      return more;
    case Compare::kLess:
      return less;
  }
  return std::nullopt;
}

std::optional<bool> ValueHolds(const Fact& fact, Compare compare, const std::string& asked) {
  if (fact.value.empty() && fact.kind != Kind::kVariable) return std::nullopt;
  switch (InfoOf(fact.kind).value) {
    case ValueKind::kVersion:
      return VersionHolds(fact, compare, asked);
    case ValueKind::kPythonVersion:
      return base::Meets(fact.value, std::string(base::Word(compare)) + asked);
    case ValueKind::kText:
      return snapshot::MatchesPattern(fact.value, asked) == (compare == Compare::kEqual);
  }
  return std::nullopt;
}

// All comparisons, each with one of its values.
std::optional<bool> FactHolds(const Fact& fact, const std::vector<Comparison>& comparisons) {
  bool known = true;
  for (const Comparison& comparison : comparisons) {
    bool holds = false, told = true;
    for (const std::string& value : comparison.values) {
      const auto one = ValueHolds(fact, comparison.compare, value);
      holds |= one.value_or(false);
      told &= one.has_value();
    }
    if (!holds && told) return false;
    known &= holds;
  }
  return known ? std::optional(true) : std::nullopt;
}

// A directory without "*" means what is below it, too.
bool LiesAt(const std::string& where, std::string place) {
  if (snapshot::MatchesPattern(where, place)) return true;
  if (place.contains('*')) return false;
  while (place.ends_with('/')) place.pop_back();
  return where == place || where.starts_with(place + "/");
}

bool IsMeant(const Selector& selector, const Fact& fact) {
  if (fact.kind != selector.kind || !LiesAt(fact.where, selector.place)) return false;
  return !InfoOf(fact.kind).named ||
         snapshot::MatchesPattern(NameKey(fact.kind, fact.name), NameKey(fact.kind, selector.name));
}

// A missing variable is not 1 either: `variable X != 1`.
bool HoldsOfNothing(const Condition& condition) {
  return condition.quantity == Quantity::kAll ||
         (condition.quantity == Quantity::kOne &&
          std::ranges::all_of(condition.comparisons, [](const Comparison& comparison) {
            return comparison.compare == Compare::kNotEqual;
          }));
}

Held OfFacts(const Condition& condition, const Facts& facts) {
  const bool all = condition.quantity == Quantity::kAll;
  std::vector<Ground> grounds, deciding;
  std::vector<Missing> missing;
  for (const Fact& fact : facts.all) {
    if (!IsMeant(condition.selector, fact)) continue;
    grounds.push_back({condition.selector, &fact});
    const auto holds = FactHolds(fact, condition.comparisons);
    if (holds && *holds != all) deciding.push_back(grounds.back());
    if (!holds) missing.push_back({condition.selector, {"cannot compare " + InWords(fact), false}});
  }
  if (!deciding.empty()) return {.holds = !all, .grounds = std::move(deciding), .missing = {}};
  if (const auto unknown = facts.unknown.find(condition.selector.kind); unknown != facts.unknown.end())
    missing.push_back({condition.selector, unknown->second});
  if (!missing.empty()) return {.holds = std::nullopt, .grounds = {}, .missing = std::move(missing)};
  if (grounds.empty())
    return {.holds = HoldsOfNothing(condition), .grounds = {{condition.selector}}, .missing = {}};
  return {.holds = all, .grounds = std::move(grounds), .missing = {}};
}

template <typename T>
void Append(std::vector<T>& to, std::vector<T> from) {
  std::ranges::move(from, std::back_inserter(to));
}

// `decisive`: the value of one part that decides for all.
Held Together(std::vector<Held> parts, bool decisive) {
  Held together{.holds = !decisive, .grounds = {}, .missing = {}};
  std::vector<Ground> deciding;
  bool decided = false;
  for (Held& part : parts) {
    if (part.holds == decisive) {
      decided = true;
      Append(deciding, std::move(part.grounds));
    } else {
      if (!part.holds) together.holds = std::nullopt;
      Append(together.grounds, std::move(part.grounds));
      Append(together.missing, std::move(part.missing));
    }
  }
  if (decided) return {.holds = decisive, .grounds = std::move(deciding), .missing = {}};
  return together;
}

}  // namespace

Held Evaluate(const Condition& condition, const Facts& facts) {
  if (condition.op == Condition::Op::kFacts) return OfFacts(condition, facts);
  std::vector<Held> parts;
  for (const Condition& part : condition.parts) parts.push_back(Evaluate(part, facts));
  if (condition.op == Condition::Op::kNot) return Not(std::move(parts.front()));
  return Together(std::move(parts), condition.op == Condition::Op::kOr);
}

Held Both(Held one, Held other) {
  std::vector<Held> parts;
  parts.push_back(std::move(one));
  parts.push_back(std::move(other));
  return Together(std::move(parts), false);
}

Held Not(Held one) {
  if (one.holds) one.holds = !*one.holds;
  return one;
}

}  // namespace culprit::policy
