// Differential diagnosis of a log: symptoms -> ranked causes. Each story of data/explain/ that matches a
// symptom is evidence for or against a cause.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/logs/symptom.h"
#include "explain/settle.h"
#include "knowledge/messages/causes.h"
#include "report/explanation.h"

namespace culprit::explain {

// A story that matches a symptom, and its strength.
struct Told {
  const knowledge::Story* story = nullptr;
  const logs::Symptom* symptom = nullptr;
  double weight = 0;  // -1 to 1
};

// The evidence for and against each cause.
class Differential {
 public:
  explicit Differential(std::span<const logs::Symptom> symptoms);

  const std::vector<Told>& told() const { return told_; }
  // 0 to 1, for every cause with evidence for it.
  const std::map<std::string_view, double>& scores() const { return scores_; }
  // Facts outweigh any text. `settlements` must outlive this.
  void Settle(std::span<const Settlement> settlements);

 private:
  std::vector<Told> told_;
  std::map<std::string_view, double> scores_;
};

// From the log, and from the facts of a machine if there are any.
report::Explanation Explain(std::span<const logs::Symptom> symptoms, std::vector<report::LogInput> inputs,
                            std::span<const Settlement> settlements = {});

}  // namespace culprit::explain
