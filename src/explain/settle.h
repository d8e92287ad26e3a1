// The facts of a machine decide what a log leaves open: each settlement speaks for or against one cause.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "explain/logs/symptom.h"
#include "report/check.h"
#include "rules/rule.h"

namespace culprit::explain {

struct Settlement {
  std::string cause;
  bool confirms = false;                     // otherwise it refutes
  std::string says;                          // "driver 470.82.01 is below the 525.60.13 that CUDA 12 needs"
  const report::Finding* finding = nullptr;  // of `check`, which then gives the code and the fix
  std::string because = {};                  // where something was seen that says why; "" = as the log says
  report::Fix fix = {};                      // that what was seen calls for; goes before that of a finding
};

// `findings` must outlive the result.
std::vector<Settlement> Settle(std::span<const logs::Symptom> symptoms, const rules::Scene& scene,
                               const report::CheckReport& check);

// Parts of it.
// Whether there is a driver here, and one that is new enough.
void SettleByDriver(std::span<const logs::Symptom> symptoms, const rules::Scene& scene,
                    std::vector<Settlement>& settlements);
// Whether a library that the log misses is on this machine.
void SettleByCopies(std::span<const logs::Symptom> symptoms, const rules::Scene& scene,
                    std::vector<Settlement>& settlements);

}  // namespace culprit::explain
