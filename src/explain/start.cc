// CUDA that cannot start on this machine. Libraries then report it each in its own way, cuDNN as "not
// initialized", which looks like many other things; the finding of `check` is what they have in common.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "explain/explain.h"
#include "explain/settle.h"
#include "knowledge/messages/status_codes.h"

namespace culprit::explain {
namespace {

using logs::Symptom;
using rules::Explains;

constexpr double kPlausible = 0.3;  // weight of a story that makes the finding a usual reason for a line

// A library that could not make its first handle, or a status of CUDA that means there is no device to use.
bool IsStartStatus(std::string_view status) {
  if (const knowledge::CudaStatus* row = knowledge::FindCudaStatus(status)) return IsStartCode(row->code);
  return status.ends_with("_NOT_INITIALIZED") || status.ends_with("_INITIALIZATION_FAILED");
}

}  // namespace

bool IsStartCode(int64_t code) {
  static const std::set<int64_t> kCodes = {3, 34, 35, 36, 46, 100, 101, 802, 803, 804, 999};
  return kCodes.contains(code);
}

bool IsAboutStart(const report::Finding& finding) {
  const rules::Rule* rule = rules::FindRule(finding.code);
  if (rule == nullptr || rule->live()) return false;
  if (rule->CanExplain(Explains::kCudaStart)) return true;
  return rule->CanExplain(Explains::kDriverFiles) &&
         (base::Contains(finding.subject, "libcuda.so") || base::Contains(finding.subject, "nvcuda.dll"));
}

void SettleByStart(std::span<const Symptom> symptoms, const report::CheckReport& check,
                   std::vector<Settlement>& settlements) {
  const auto finding = std::ranges::find_if(check.findings, [](const report::Finding& one) {
    return one.severity == report::Severity::kError && IsAboutStart(one);
  });
  if (finding == check.findings.end()) return;
  const Differential differential(symptoms);
  const auto usual = [&](const Symptom& symptom) {
    return std::ranges::any_of(differential.told(), [&](const Told& told) {
      return told.story->cause == finding->cause && told.weight >= kPlausible &&
             told.symptom->kind() == symptom.kind() &&
             told.symptom->attribute("library") == symptom.attribute("library");
    });
  };
  bool any = false;
  for (const Symptom& symptom : symptoms) {
    const bool failure = symptom.role() == knowledge::Role::kFailure;
    if (!failure && symptom.role() != knowledge::Role::kConsequence) continue;
    const bool start = IsStartStatus(symptom.attribute("status")) || usual(symptom);
    if (failure && !start) return;  // something else failed as well
    any = any || start;
  }
  if (!any) return;
  Settlement settlement{finding->cause, true, finding->code + ": " + finding->summary, &*finding};
  settlement.decides = true;
  settlements.push_back(std::move(settlement));
}

}  // namespace culprit::explain
