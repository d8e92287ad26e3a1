// The grammar is that of nvidia-container-toolkit, internal/requirements/constraints: OR of ANDs of
// "property operator value".
#include "knowledge/packages/requirement.h"

#include <array>

#include "base/text.h"

namespace culprit::knowledge {
namespace {

Met ToMet(bool met) { return met ? Met::kYes : Met::kNo; }

bool Compare(const base::Version& a, std::string_view op, const base::Version& b) {
  if (op == ">=") return a >= b;
  if (op == "<=") return a <= b;
  if (op == "!=") return a != b;
  if (op == ">") return a > b;
  if (op == "<") return a < b;
  return a == b;
}

Met CompareCuda(const RequirementFacts& facts, std::string_view op, const base::Version& wanted) {
  if (!facts.cuda) return Met::kUnknown;
  if (!facts.cuda_at_least) return ToMet(Compare(*facts.cuda, op, wanted));
  // The driver is newer than the tables: it supports at least this.
  const bool enough = *facts.cuda >= wanted;
  if (op == ">=" && enough) return Met::kYes;
  if (op == "<" && enough) return Met::kNo;
  return Met::kUnknown;
}

Met EvaluateCondition(std::string_view condition, const RequirementFacts& facts) {
  static constexpr std::array<std::string_view, 6> kOperators = {">=", "<=", "!=", ">", "<", "="};
  const size_t at = condition.find_first_of("<>=!");
  if (at == std::string_view::npos) return Met::kUnknown;
  const std::string_view property = base::Trim(condition.substr(0, at));
  for (const std::string_view op : kOperators) {
    if (!condition.substr(at).starts_with(op)) continue;
    const std::string_view value = base::Trim(condition.substr(at + op.size()));
    if (property == "brand") {
      if (facts.brand.empty()) return Met::kUnknown;
      return ToMet((facts.brand == value) == (op != "!="));
    }
    const auto wanted = base::Version::Parse(value);
    if (property == "cuda") return wanted ? CompareCuda(facts, op, *wanted) : Met::kUnknown;
    if (property != "driver" && property != "arch") return Met::kYes;
    const auto& have = property == "driver" ? facts.driver : facts.arch;
    if (!wanted || !have) return Met::kUnknown;
    return ToMet(Compare(*have, op, *wanted));
  }
  return Met::kUnknown;
}

}  // namespace

Met EvaluateRequirement(std::string_view text, const RequirementFacts& facts) {
  bool any = false, unknown = false;
  for (const std::string& alternative : base::SplitWords(text, " ")) {
    any = true;
    Met all = Met::kYes;
    for (const std::string& condition : base::SplitWords(alternative, ",")) {
      const Met met = EvaluateCondition(condition, facts);
      if (met == Met::kNo) all = Met::kNo;
      if (met == Met::kUnknown && all == Met::kYes) all = Met::kUnknown;
    }
    if (all == Met::kYes) return Met::kYes;
    unknown |= all == Met::kUnknown;
  }
  return !any ? Met::kYes : unknown ? Met::kUnknown : Met::kNo;
}

}  // namespace culprit::knowledge
