#include "cli/plan_check.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include "base/version.h"
#include "collect/host.h"
#include "collect/look_at_stack.h"
#include "diagnose/check.h"
#include "knowledge/driver.h"
#include "loader/scenario.h"
#include "plan/commands.h"
#include "rules/rule.h"
#include "whatif/planned.h"

namespace culprit::cli {
namespace {

using report::PlannedPackage;

constexpr std::chrono::seconds kPatience(10);  // it is all in memory

// The driver that would be there: that of the plan where one comes with it, otherwise the host's.
collect::Host HostOf(const plan::Question& question, const report::Plan& plan) {
  collect::Host host;
  if (question.host.driver) host.driver = knowledge::DriverText(*question.host.driver);
  const auto driver = std::ranges::find(plan.packages, "driver", &PlannedPackage::role);
  if (driver != plan.packages.end() && base::Version::Parse(driver->version)) host.driver = driver->version;
  for (const base::Version& gpu : question.host.gpus) host.gpus.push_back(gpu.ToString());
  return host;
}

whatif::PlannedHost MachineOf(const plan::Host& host) {
  whatif::PlannedHost machine;
  if (host.machine == plan::Machine::kWindows) machine.platform = base::Platform::kWindows;
  if (host.machine == plan::Machine::kLinuxArm) machine.cpu = "aarch64";
  if (host.glibc) machine.glibc = host.glibc->ToString();
  return machine;
}

// What the step "libraries" of the plan sets: the directories of the wheels' libraries.
std::string LibraryPath(const system::System& machine, const std::string& prefix) {
  std::string list;
  const auto pythons = machine.List(prefix + "/lib");
  if (!pythons) return list;
  for (const system::DirectoryEntry& python : *pythons) {
    const std::string nvidia = prefix + "/lib/" + python.name + "/site-packages/nvidia";
    const auto parts = machine.List(nvidia);
    if (!parts) continue;
    for (const system::DirectoryEntry& part : *parts) {
      const std::string directory = nvidia + "/" + part.name + "/lib";
      if (machine.Stat(directory)) list += (list.empty() ? "" : ":") + directory;
    }
  }
  return list;
}

void Check(const plan::Question& question, report::Plan& plan) {
  const whatif::PlannedHost host = MachineOf(question.host);
  const auto machine = whatif::PlannedMachine(host, plan);
  if (!machine) {
    plan.not_checked.push_back({"what the rules of check say of the result", machine.error().message});
    return;
  }
  const std::string prefix = whatif::PlannedPrefix(host.platform);
  auto variables = (*machine)->Environment();
  if (plan::NeedsLibraryPath(plan, question)) {
    const std::string list = LibraryPath(**machine, prefix);
    if (!list.empty()) variables["LD_LIBRARY_PATH"] = list;
  }
  const collect::Surroundings around{.system = **machine,
                                     .environment = std::move(variables),
                                     .working_directory = (*machine)->WorkingDirectory(),
                                     .python = "",
                                     .environments = {prefix},
                                     .host_unseen = true};
  auto look = collect::LookAtStack(around, {}, kPatience);
  collect::Assume(HostOf(question, plan), look.snapshot.stack);
  const auto scenarios = loader::PlayScenarios(look.snapshot, *look.view, {});
  const report::CheckReport report = diagnose::Check({look.snapshot, *look.view, scenarios});
  plan.checked = true;
  for (const report::Finding& finding : report.findings) {
    if (finding.severity != report::Severity::kNote) plan.findings.push_back(finding);
  }
  if (!question.host.driver || question.host.gpus.empty()) {
    plan.not_checked.push_back({"the driver and the GPU of the host",
                                "not known here; say them: --host driver=550.54.14,gpu=sm_90"});
  }
}

}  // namespace

void CheckPlan(const plan::Question& question, report::Plan& plan) {
  try {
    Check(question, plan);
  } catch (const std::exception& error) {  // a bug, told as one; the plan still appears
    plan.checked = false;
    plan.findings.clear();
    plan.not_checked.push_back(
        {"what the rules of check say of the result", std::string("internal error: ") + error.what()});
  }
}

}  // namespace culprit::cli
