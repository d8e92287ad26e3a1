// Whether a condition holds on a machine, in three values: what is not known makes a condition unknown,
// unless what is known decides it. Every answer names the facts that it rests on.
#pragma once

#include <optional>
#include <vector>

#include "policy/condition.h"
#include "policy/facts.h"

namespace culprit::policy {

// Why a condition holds or does not. `there` is null: there is no such thing.
struct Ground {
  Selector selector;
  const Fact* there = nullptr;
};

// What would have to be known.
struct Missing {
  Selector selector;
  Unknown unknown;
};

struct Held {
  std::optional<bool> holds;     // nullopt: could not tell
  std::vector<Ground> grounds;   // of what holds or does not
  std::vector<Missing> missing;  // of what could not be told
};

// The answer points into `facts`.
Held Evaluate(const Condition& condition, const Facts& facts);
// Whether both hold; whether it does not.
Held Both(Held one, Held other);
Held Not(Held one);

}  // namespace culprit::policy
