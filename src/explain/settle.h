// Facts of a machine decide what a log leaves open: each settlement is for or against one cause.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/loading.h"
#include "base/platform.h"
#include "explain/logs/symptom.h"
#include "report/check.h"
#include "rules/rule.h"

namespace culprit::explain {

struct Settlement {
  std::string cause;
  bool confirms = false;                     // otherwise it refutes
  std::string says;                          // "driver 470.82.01 is below the 525.60.13 that CUDA 12 needs"
  const report::Finding* finding = nullptr;  // of `check`; it then provides the code and the fix
  std::string because = {};  // the reason, if something observed gives one; "" = use the log's
  report::Fix fix = {};      // the fix for what was observed; takes precedence over that of a finding
  bool of_text = false;      // known from the text, not from a machine
  bool decides = false;      // this fact is the cause, whatever a text makes likely
};

// `findings` must outlive the result.
std::vector<Settlement> Settle(std::span<const logs::Symptom> symptoms, const rules::Scene& scene,
                               const report::CheckReport& check);

// Parts of it. The finding of `check` because of which CUDA cannot start on this machine decides, where all
// that failed can come from that.
void SettleByStart(std::span<const logs::Symptom> symptoms, const report::CheckReport& check,
                   std::vector<Settlement>& settlements);
// A status of CUDA's that says it could not start, or has no device.
bool IsStartCode(int64_t code);
// Whether CUDA starts at all is a fact about the machine, whichever program the finding names.
bool IsAboutStart(const report::Finding& finding);
// Whether there is a driver, and whether it is new enough.
void SettleByDriver(std::span<const logs::Symptom> symptoms, const rules::Scene& scene,
                    const report::CheckReport& check, std::vector<Settlement>& settlements);
// The driver, the framework and the CUDA releases that a text itself names (settle_text.cc); for a text
// without a machine.
void SettleByText(std::span<const logs::Symptom> symptoms, std::vector<Settlement>& settlements);
// Where a text comes from.
base::Platform PlatformOf(std::span<const logs::Symptom> symptoms);
// Whether what a build did not find is on this machine (settle_build.cc).
void SettleByBuild(std::span<const logs::Symptom> symptoms, const rules::Scene& scene,
                   std::vector<Settlement>& settlements);
// Whether a library that is missing in the log is on this machine.
void SettleByCopies(std::span<const logs::Symptom> symptoms, const rules::Scene& scene,
                    std::vector<Settlement>& settlements);
// The cause behind a file that was found and cannot be used; "" where the file is not to blame.
std::string_view CauseOfDamage(base::LoadOutcome outcome);

}  // namespace culprit::explain
