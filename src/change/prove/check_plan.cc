#include "change/prove/check_plan.h"

#include <algorithm>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "base/version.h"
#include "base/windows/path.h"
#include "change/whatif/planned.h"
#include "collect/linux/host.h"
#include "engine/diagnosis.h"
#include "knowledge/driver.h"
#include "knowledge/packages/projects.h"
#include "plan/commands/commands.h"

namespace culprit::prove {
namespace {

using report::PlannedPackage;

// The driver after the plan: the plan's if it includes one, otherwise the host's.
collect::Host HostOf(const plan::Question& question, const report::Plan& plan) {
  collect::Host host;
  if (question.host.driver) host.driver = knowledge::DriverText(*question.host.driver);
  const auto driver = std::ranges::find(plan.packages, report::PackageRole::kDriver, &PlannedPackage::role);
  if (driver != plan.packages.end() && base::Version::Parse(driver->version)) host.driver = driver->version;
  for (const base::Version& gpu : question.host.gpus) host.gpus.push_back({gpu.ToString()});
  return host;
}

whatif::PlannedHost MachineOf(const plan::Host& host) {
  whatif::PlannedHost machine;
  if (host.machine == plan::Machine::kWindows) machine.platform = base::Platform::kWindows;
  if (host.machine == plan::Machine::kLinuxArm) machine.cpu = "aarch64";
  if (host.glibc) machine.glibc = host.glibc->ToString();
  return machine;
}

// What the step "libraries" of the plan sets: the directories of the wheels' libraries, in front of the list.
void SetLibraryPath(const system::System& machine, const std::string& prefix,
                    std::map<std::string, std::string>& variables) {
  const bool windows = machine.platform() == base::Platform::kWindows;
  std::vector<std::string> sites;
  if (windows) sites = {prefix + "/Lib/site-packages"};
  const auto pythons = machine.List(prefix + "/lib");
  if (pythons && !windows) {
    for (const auto& python : *pythons) sites.push_back(prefix + "/lib/" + python.name + "/site-packages");
  }
  std::string list;
  for (const std::string& site : sites) {
    const auto parts = machine.List(site + "/nvidia");
    if (!parts) continue;
    for (const system::DirectoryEntry& part : *parts) {
      for (const char* below : {"/lib", "/bin", "/bin/x86_64"}) {
        const std::string directory = site + "/nvidia/" + part.name + below;
        if ((below == std::string_view("/lib")) == windows || !machine.Stat(directory)) continue;
        list += (list.empty() ? ""
                 : windows    ? ";"
                              : ":") +
                (windows ? base::ToWindowsPath(directory) : directory);
      }
    }
  }
  if (list.empty()) return;
  std::string& variable = variables[windows ? "PATH" : "LD_LIBRARY_PATH"];
  variable = variable.empty() ? list : list + (windows ? ";" : ":") + variable;
}

void Check(const plan::Question& question, report::Plan& plan) {
  const whatif::PlannedHost host = MachineOf(question.host);
  const auto machine = whatif::PlannedMachine(host, plan);
  if (!machine) {
    plan.not_checked.push_back({"the result", machine.error().message});
    return;
  }
  const std::string prefix = whatif::PlannedPrefix(host.platform);
  auto variables = (*machine)->Environment();
  if (plan::NeedsLibraryPath(plan)) SetLibraryPath(**machine, prefix, variables);
  engine::Diagnosis diagnosis({.machine = *machine,
                               .environment = std::move(variables),
                               .environments = {prefix},
                               .host_unseen = true});
  if (const auto looked = diagnosis.Look(); !looked) {
    plan.not_checked.push_back({"culprit check of the result", looked.error().message});
    return;
  }
  diagnosis.Revise([assumed = HostOf(question, plan)](snapshot::Snapshot& snapshot) {
    collect::Assume(assumed, snapshot.stack);
  });
  diagnosis.Play();
  const report::CheckReport report = diagnosis.Judge();
  if (!diagnosis.in_time()) {
    plan.not_checked.push_back({"culprit check of the result", "timed out"});
    return;
  }
  plan.checked = true;
  for (const report::Finding& finding : report.findings) {
    if (finding.severity != report::Severity::kNote) plan.findings.push_back(finding);
  }
  std::string beside;
  for (const PlannedPackage& package : plan.packages) {
    const bool skipped =
        package.channel.OfPip() && (package.version.empty() || !knowledge::WheelsOf(package.name).empty());
    if (skipped) beside += (beside.empty() ? "" : ", ") + package.name;
  }
  if (!beside.empty()) plan.not_checked.push_back({"package contents", "not in the tables: " + beside});
  if (!question.host.driver || question.host.gpus.empty()) {
    plan.not_checked.push_back(
        {"driver and GPU of the host", "unknown; pass --host driver=550.54.14,gpu=sm_90"});
  }
}

}  // namespace

void CheckPlan(const plan::Question& question, report::Plan& plan) {
  try {
    Check(question, plan);
  } catch (const std::exception& error) {  // a bug, reported as one; the plan still appears
    plan.checked = false;
    plan.findings.clear();
    plan.not_checked.push_back({"the result", std::string("internal error: ") + error.what()});
  }
}

}  // namespace culprit::prove
