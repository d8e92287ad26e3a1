// What no Python package provides: the driver, and a system-wide toolkit or cuDNN. Commands are for NVIDIA's
// repository for Debian and Ubuntu; elsewhere the step says what is needed and where to get it.
#include <algorithm>

#include "base/version.h"
#include "knowledge/driver.h"
#include "plan/commands/apt_names.h"
#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

using report::PlannedPackage;

constexpr const char* kElsewhere = "for Debian and Ubuntu, from NVIDIA's repository; for others see ";
constexpr const char* kToolkits = "https://developer.nvidia.com/cuda-toolkit-archive";
constexpr const char* kCudnns = "https://developer.nvidia.com/cudnn-archive";
constexpr const char* kDrivers = "https://www.nvidia.com/drivers";

// The repository is named once, by the first step that needs it.
void AddRepository(const report::Plan& plan, const Question& question, report::PlanStep& step) {
  std::vector<Command> commands = AddAptRepository(question.host);
  const bool there = std::ranges::any_of(plan.steps, [&](const report::PlanStep& before) {
    return std::ranges::find(before.commands, commands.front()) != before.commands.end();
  });
  if (!there) step.commands = std::move(commands);
}

Command Install(const std::vector<std::string>& packages) {
  Command command = "sudo apt-get install -y";
  for (const std::string& package : packages) command += " " + Word(package);
  return command;
}

void AddLibrary(report::Plan& plan, const PlannedPackage* package, const Question& question,
                const std::vector<std::string>& apt, const char* title, const char* place) {
  if (package == nullptr) return;
  report::PlanStep step{.title = title, .why = package->name + " " + package->version + " system-wide"};
  if (question.host.machine == Machine::kWindows || apt.empty()) {
    step.why += std::string(": ") + place;
  } else {
    step.why += std::string("; ") + kElsewhere + place;
    AddRepository(plan, question, step);
    step.commands.push_back(Install(apt));
  }
  plan.steps.push_back(std::move(step));
}

}  // namespace

void AddDriver(report::Plan& plan, const Parts& parts, const Question& question) {
  // Where the driver is not known there is nothing to compare: the list of versions says what is needed.
  if (parts.driver == nullptr || !question.host.driver) return;
  const std::string need = "driver " + parts.driver->version + " or newer; this host has " +
                           knowledge::DriverText(*question.host.driver);
  AddDriverRemoval(plan, question);
  report::PlanStep step{.title = "driver"};
  const std::vector<std::string> apt = AptDriver(parts.driver->version, question.host);
  if (question.host.wsl) {
    step.why = need + "; install it in Windows, never inside WSL: " + kDrivers;
  } else if (question.host.machine == Machine::kWindows || apt.empty()) {
    step.why = need + ": " + kDrivers;
  } else {
    step.why = need + "; " + kElsewhere + kDrivers;
    AddRepository(plan, question, step);
    for (const std::string& package : apt) step.commands.push_back(Install({package}));
    step.commands.push_back("sudo reboot");
  }
  plan.steps.push_back(std::move(step));
}

void AddSystemLibraries(report::Plan& plan, const Parts& parts, const Question& question) {
  AddCudnnRemoval(plan, parts, question);
  AddLibrary(plan, parts.toolkit, question,
             parts.toolkit ? AptToolkit(parts.toolkit->version) : std::vector<std::string>(), "toolkit",
             kToolkits);
  AddLibrary(plan, parts.cudnn, question, AptCudnn(plan), "cuDNN", kCudnns);
  AddToolkitRemoval(plan, parts, question);
}

}  // namespace culprit::plan
