// The steps of pip and uv: environment, removals, installations. One command per index, because pip would ask
// an index given for one package for all packages of the command.
#include <algorithm>

#include "base/version.h"
#include "knowledge/packages/packages.h"
#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

constexpr char kNewEnvironment[] = ".venv";

// PyTorch names its index as an additional one for old releases.
bool IsAdditional(const PipGroup& group) {
  return std::ranges::any_of(group.packages, [](const report::PlannedPackage* package) {
    if (package->name != "torch") return false;
    const auto version = base::Version::Parse(package->version.substr(0, package->version.find('+')));
    const auto* index = version ? knowledge::FindWheelIndex("torch", *version) : nullptr;
    return index != nullptr && index->option == "--extra-index-url";
  });
}

Command InstallCommand(const Command& tool, const PipGroup& group, bool uv) {
  Command command = tool;
  for (const report::PlannedPackage* package : group.packages) command += " " + PinnedWord(*package);
  const Command options = IndexOptions(group, uv);
  return options.empty() ? command : command + " " + options;
}

void AddEnvironment(report::Plan& plan, const Parts& parts, bool uv, bool windows) {
  report::PlanStep step{.title = "environment", .why = "creates .venv; delete it to undo"};
  if (uv) {
    step.commands = {"uv venv" + (parts.python.empty() ? "" : " --python " + Plain(parts.python)) + " " +
                     kNewEnvironment};
  } else {
    const Command python = windows ? (parts.python.empty() ? "py" : "py -" + Plain(parts.python))
                                   : "python" + (parts.python.empty() ? "3" : Plain(parts.python));
    step.commands = {python + " -m venv " + kNewEnvironment};
    const auto version = base::Version::Parse(parts.python);
    // Versions before 20.3 do not know the tags manylinux_2_NN (pip's change log), and Python 3.9 and older
    // bring such a pip.
    if (version && *version < base::Version{{3, 10}})
      step.commands.push_back(PythonOf(kNewEnvironment, windows) + " -m pip install --upgrade pip");
  }
  if (parts.toolkit != nullptr || parts.cudnn != nullptr) {
    step.why +=
        "; CUDA and cuDNN are installed system-wide; use a container to isolate them (--as dockerfile)";
  }
  plan.steps.push_back(std::move(step));
}

}  // namespace

Command PythonOf(const std::string& environment, bool windows) {
  return Word(environment + (windows ? "\\Scripts\\python" : "/bin/python"));
}

Command IndexOptions(const PipGroup& group, bool uv) {
  const report::Channel& channel = group.channel;
  if (channel.kind == report::ChannelKind::kPypi) return "";
  if (channel.IsPage()) return "--find-links " + Word(channel.address);
  if (uv) return "--index " + Word(channel.address);
  return (IsAdditional(group) ? Command("--extra-index-url ") : "--index-url ") + Word(channel.address);
}

Command NeededBefore(const PipGroup& group) {
  if (group.channel.kind != report::ChannelKind::kFeed) return "";
  return "coloredlogs flatbuffers numpy packaging protobuf sympy";
}

void AddPip(report::Plan& plan, const Parts& parts, const Question& question, const Place& place, bool uv) {
  const bool windows = question.host.machine == Machine::kWindows;
  const bool fresh = place.environment.empty();
  const std::string environment = fresh ? kNewEnvironment : place.environment;
  // A conda environment on Windows has its interpreter at the top.
  const Command python =
      !fresh && windows && place.conda ? Word(environment + "\\python") : PythonOf(environment, windows);
  const Command pip = uv ? "uv pip" : python + " -m pip";
  const Command where = uv ? " --python " + Word(environment) : "";
  if (!parts.removed.empty()) {
    report::PlanStep step{.title = "remove", .why = "these conflict with the other packages"};
    Command command = pip + " uninstall" + (uv ? where : " -y");
    for (const report::PlannedPackage* package : parts.removed) command += " " + Plain(package->name);
    step.commands = {command};
    plan.steps.push_back(std::move(step));
  }
  AddSystemLibraries(plan, parts, question);
  if (parts.HasPip() && fresh) AddEnvironment(plan, parts, uv, windows);
  if (!parts.pip.empty() || !parts.passed.empty()) {
    report::PlanStep step{.title = "install", .why = ""};
    if (parts.pip.size() > 1) step.why = "one command per package index";
    const Command passed = PassedWords(parts, question);
    bool with_passed = passed.empty();
    for (const PipGroup& group : parts.pip) {
      // uv goes on to PyPI for what a named index does not have.
      if (const Command names = NeededBefore(group); !names.empty() && !uv)
        step.commands.push_back(pip + " install " + names);
      Command command = InstallCommand(pip + " install" + where, group, uv);
      if (group.channel.kind == report::ChannelKind::kPypi && !with_passed) {
        command += passed;
        with_passed = true;
      }
      step.commands.push_back(std::move(command));
    }
    if (!with_passed) step.commands.push_back(pip + " install" + where + passed);
    plan.steps.push_back(std::move(step));
  }
  AddBuilds(plan, parts, question, pip + " install" + where);
  if (!parts.pip.empty()) AddLibraryPath(plan, environment, question, parts.python);
  const bool changes = parts.HasPip() || !parts.removed.empty() || !fresh;
  AddVerification(plan, changes ? environment : "", question);
}

}  // namespace culprit::plan
