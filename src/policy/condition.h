// A parsed condition of a site's rule: which facts it is about, and what must hold for them. condition.cc
// parses the text (docs/policy.md); evaluate.h evaluates it on a machine.
#pragma once

#include <array>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "policy/facts.h"

namespace culprit::policy {

enum class Compare { kEqual, kNotEqual, kAtLeast, kAtMost, kMore, kLess };
constexpr std::array<std::string_view, 6> WordsOf(Compare) { return {"==", "!=", ">=", "<=", ">", "<"}; }

// One comparison; `values` are alternatives (`in [a, b]`), which only kEqual has more than one of.
struct Comparison {
  Compare compare = Compare::kEqual;
  std::vector<std::string> values;
};

enum class Quantity {
  kOne,  // there is at most one
  kAny,
  kAll
};

// Facts of one kind. Patterns: "*" stands for any characters.
struct Selector {
  Kind kind = Kind::kDriver;
  std::string name = "*";
  std::string place = "*";
};

struct Condition {
  enum class Op { kAnd, kOr, kNot, kFacts };
  Op op = Op::kFacts;
  std::vector<Condition> parts{};  // of kAnd, kOr; one of kNot
  // kFacts. Without comparisons: there is one.
  Quantity quantity = Quantity::kAny;
  Selector selector{};
  std::vector<Comparison> comparisons{};  // all must hold
};

// What is wrong with the text, and where.
struct Mistake {
  size_t offset = 0;
  std::string what;  // it, and what was expected
};

// Whether snapshots contain a variable with this name. Slurm's differ from node to node.
bool IsRecorded(const std::string& variable);

std::expected<Condition, Mistake> ParseCondition(std::string_view text);

}  // namespace culprit::policy
