// What no package of Python brings: the driver, and a toolkit or cuDNN of the system. Commands are those of
// NVIDIA's repository for Debian and Ubuntu; elsewhere the step says what is needed and where it is had.
#include <algorithm>

#include "base/version.h"
#include "plan/command_parts.h"

namespace culprit::plan {
namespace {

using report::PlannedPackage;

std::string Because(const PlannedPackage& package) {
  return package.because.empty() ? "" : package.because.front().text;
}

}  // namespace

void AddDriver(report::Plan& plan, const Parts& parts, const Question& question) {
  if (parts.driver == nullptr || !question.host.driver) return;
  report::PlanStep step{.title = "driver", .why = Because(*parts.driver)};
  plan.steps.push_back(std::move(step));
}

void AddSystemLibraries(report::Plan& plan, const Parts& parts, const Question&) {
  for (const auto& [package, title] :
       {std::pair(parts.toolkit, "toolkit"), std::pair(parts.cudnn, "cuDNN")}) {
    if (package == nullptr) continue;
    plan.steps.push_back({.title = title, .why = Because(*package), .commands = {}});
  }
}

}  // namespace culprit::plan
