// Whether a condition holds on a machine, with three values: an unknown fact makes a condition unknown,
// unless the known facts decide it. Every answer names the facts that it is based on.
#pragma once

#include <optional>
#include <vector>

#include "policy/condition.h"
#include "policy/facts.h"

namespace culprit::policy {

// Why a condition holds or does not. `there` is null if the fact is absent.
struct Ground {
  Selector selector;
  const Fact* there = nullptr;
};

// Facts that are unknown but needed.
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
