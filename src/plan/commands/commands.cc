#include "plan/commands/commands.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

using report::PlannedPackage;

// Distributions that share a directory: removing one damages the other.
bool ShareFiles(const std::string& one, const std::string& other) {
  for (const std::string_view stem : {"onnxruntime", "cupy", "opencv", "tensorflow", "faiss"}) {
    const auto of = [&](const std::string& name) {
      return name == stem || name.starts_with(std::string(stem) + "-");
    };
    if (of(one) && of(other)) return one != other;
  }
  return false;
}

// Whether pip brings it along with another package that is installed.
bool ComesAlong(const PlannedPackage& package) {
  const std::string pin = package.name + "==" + package.version;
  return package.role == report::PackageRole::kLibrary && !package.wanted &&
         std::ranges::find(package.because, pin, &report::Bound::asked_for) != package.because.end();
}

}  // namespace

Parts PartsOf(const report::Plan& plan, bool fresh) {
  Parts parts;
  if (!fresh) {
    for (const PlannedPackage& package : plan.removed) parts.removed.push_back(&package);
  }
  for (const PlannedPackage& package : plan.packages) {
    if (package.role == report::PackageRole::kPython) parts.python = package.version;
    if (package.role == report::PackageRole::kDriver && !package.present) parts.driver = &package;
    if (package.channel.OfPip()) {
      const bool damaged = !fresh && std::ranges::any_of(plan.removed, [&](const PlannedPackage& removed) {
        return ShareFiles(package.name, removed.name);
      });
      if (package.present && !fresh && !damaged) continue;
      if (fresh && ComesAlong(package)) continue;
      if (package.from_source) {
        parts.built.push_back(&package);
        continue;
      }
      // It is removed together with the other one, so that pip reinstalls all of its files.
      if (damaged && package.present) parts.removed.push_back(&package);
      auto group = std::ranges::find(parts.pip, package.channel, &PipGroup::channel);
      if (group == parts.pip.end()) group = parts.pip.insert(parts.pip.end(), PipGroup{package.channel, {}});
      group->packages.push_back(&package);
      continue;
    }
    if (package.present) continue;
    if (package.role == report::PackageRole::kToolkit) parts.toolkit = &package;
    if (package.role == report::PackageRole::kCudnn) parts.cudnn = &package;
  }
  const auto pypi =
      std::ranges::find(parts.pip, report::Channel(report::ChannelKind::kPypi), &PipGroup::channel);
  if (pypi != parts.pip.end()) std::rotate(pypi, pypi + 1, parts.pip.end());
  for (const report::PassedThrough& passed : plan.passed_through) {
    (passed.kind == report::RequirementKind::kConda ? parts.conda : parts.passed).push_back(&passed);
  }
  return parts;
}

std::string Pinned(const PlannedPackage& package) {
  return package.name + (package.extra.empty() ? "" : "[" + package.extra + "]") +
         (package.range.empty() ? "==" + package.version : package.range);
}

Command PinnedWord(const PlannedPackage& package) {
  const Command version =
      package.range.empty() ? "==" + Plain(package.version) : report::Specifier(package.range);
  if (package.extra.empty() && package.range.empty()) return Plain(package.name) + version;
  // Brackets of an extra, signs of a range: double quotes serve every shell.
  const Command extra = package.extra.empty() ? Command() : "[" + report::Specifier(package.extra) + "]";
  return "\"" + Plain(package.name) + extra + version + "\"";
}

bool NeedsLibraryPath(const report::Plan& plan) {
  const auto has = [&](auto&& test) { return std::ranges::any_of(plan.packages, test); };
  return has([](const PlannedPackage& package) {
           return package.name == "onnxruntime-gpu" || package.name == "ctranslate2";
         }) &&
         has([](const PlannedPackage& package) {
           return package.channel.OfPip() && package.name.starts_with("nvidia-");
         });
}

void AddLibraryPath(report::Plan& plan, const std::string& environment, const Question& question,
                    const std::string& python) {
  if (!NeedsLibraryPath(plan)) return;
  report::PlanStep step{.title = "libraries",
                        .why = "they are loaded by bare name, so set this in every shell that runs it"};
  if (question.host.machine == Machine::kWindows) {
    step.why = "they are loaded by bare name: put every " + environment +
               "\\Lib\\site-packages\\nvidia\\*\\bin directory on PATH in each terminal that runs it";
  } else {
    const Command prefix = environment.starts_with('/') ? Word(environment) : "\"$PWD\"/" + Word(environment);
    // A list without an empty element: that would be the current directory.
    step.commands = {"export LD_LIBRARY_PATH=\"$(set -- " + prefix + "/lib/python" +
                     (python.empty() ? "3*" : Plain(python)) +
                     "/site-packages/nvidia/*/lib; IFS=:; echo \"$*\")\""};
  }
  plan.steps.push_back(std::move(step));
}

void AddVerification(report::Plan& plan, const std::string& environment, const Question& question) {
  const bool windows = question.host.machine == Machine::kWindows;
  const Command check = "culprit check" + (environment.empty() ? "" : " " + Word(environment));
  report::PlanStep step{.title = "verify",
                        .why = "checks what is installed, then tests each layer on the GPU"};
  if (windows) {  // older PowerShells have no &&
    step.commands = {check, "culprit probe"};
  } else {
    step.commands = {check + " && culprit probe"};
  }
  plan.steps.push_back(std::move(step));
}

std::string FileHeader(const report::Plan& plan) {
  std::string text = "# culprit plan: " + base::Printable(plan.headline) + "\n";
  std::string asked;
  for (const std::string& part : plan.question) asked += (asked.empty() ? "" : ", ") + base::Printable(part);
  if (!asked.empty()) text += "# asked: " + asked + "\n";
  if (!plan.knowledge_date.empty()) text += "# version tables from " + plan.knowledge_date + "\n";
  return text;
}

void WriteCommands(report::Plan& plan, const Question& question, const Place& place, As as) {
  const bool empty = plan.packages.empty() && plan.passed_through.empty();
  if (empty || plan.outcome != report::Plan::Outcome::kSolution) return;
  plan.steps.clear();
  plan.document.clear();
  for (const report::PassedThrough& passed : plan.passed_through) {
    if (passed.kind == report::RequirementKind::kConda) continue;
    if (PassedWord(passed, question.host.machine == Machine::kWindows).empty())
      plan.notes.push_back(base::Printable(passed.text) +
                           ": left out of the commands, because it cannot be quoted safely for a shell");
  }
  if (as == As::kConda) return WriteConda(plan, question);
  if (as == As::kDockerfile) return WriteDockerfile(plan, question);
  if (as == As::kCmake) return WriteCmake(plan, question);
  if (as == As::kRequirements) return WriteRequirements(plan, question);
  const Parts parts = PartsOf(plan, place.environment.empty());
  if (!parts.conda.empty()) NoteConda(parts, plan);
  AddDriver(plan, parts, question);
  AddPip(plan, parts, question, place, as == As::kUv);
}

}  // namespace culprit::plan
