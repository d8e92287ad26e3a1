#include "engine/hosts.h"

#include <utility>

#include "rules/kit/driver/driver_need.h"

namespace culprit::engine {
namespace {

using report::Runs;
using report::Verdict;

report::HostCheck Judged(Diagnosis& diagnosis, const report::Host& host) {
  auto [check, driver] = diagnosis.Judge([](const rules::Scene& scene, const report::CheckReport& found) {
    return std::pair(found, rules::HowDriverRuns(scene));
  });
  report::HostCheck judged{.host = host, .runs = driver.runs, .check = std::move(check)};
  if (judged.check.verdict == Verdict::kErrors) judged.runs = Runs::kNo;
  if (judged.check.verdict == Verdict::kUnknown && judged.runs != Runs::kNo) judged.runs = Runs::kUnknown;
  // What no rule says.
  const Verdict verdict = judged.runs == Runs::kNo        ? Verdict::kErrors
                          : judged.runs == Runs::kUnknown ? Verdict::kUnknown
                                                          : judged.check.verdict;
  if (verdict != judged.check.verdict) {
    judged.check.verdict = verdict;
    judged.check.headline = driver.why;
  }
  return judged;
}

}  // namespace

base::Result<std::vector<report::HostCheck>> CheckHosts(Diagnosis& diagnosis,
                                                        const std::vector<report::Host>& hosts) {
  std::vector<report::HostCheck> checks;
  for (const report::Host& host : hosts) {
    if (host.words != diagnosis.subject().host) {
      if (auto assumed = diagnosis.AssumeHost(host.words); !assumed) return std::unexpected(assumed.error());
    }
    checks.push_back(Judged(diagnosis, host));
  }
  return checks;
}

}  // namespace culprit::engine
