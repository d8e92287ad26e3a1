// Trials of a question without some of its requirements, or with others, in a universe that is made once:
// what is left out there are roots, bounds and the needs of facts.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "plan/question.h"
#include "plan/universe/builds.h"
#include "plan/universe/universe.h"
#include "report/plan.h"

namespace culprit::plan {

class Trials {
 public:
  Trials(const Question& question, BuildTable& builds) : question_(question), builds_(builds) {}

  const Question& question() const { return question_; }
  BuildTable& builds() const { return builds_; }
  // With everything that there could be on the machine of the question.
  const Universe& universe() { return On(question_.host.machine); }

  // What is asked without these requirements. The machine is not among them.
  Demands Without(const std::vector<Requirement>& dropped) { return Without(dropped, universe()); }
  // Whether there is a set without them; without the machine, on any.
  bool Solvable(const std::vector<Requirement>& dropped);
  // The wanted packages of the best set; nothing when there is none.
  std::optional<std::vector<report::PlannedPackage>> Gives(const Demands& asked);

 private:
  const Universe& On(Machine machine);
  Demands Without(const std::vector<Requirement>& dropped, const Universe& universe) const;

  const Question& question_;
  BuildTable& builds_;
  std::map<Machine, Question> questions_;
  std::map<Machine, Universe> universes_;
};

}  // namespace culprit::plan
