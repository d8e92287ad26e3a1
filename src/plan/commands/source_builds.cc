// Packages that are built at installation: what nvcc needs, and one command for each after everything else,
// because most of them inspect the installed framework.
#include <algorithm>
#include <set>

#include "base/version.h"
#include "knowledge/host_compilers.h"
#include "knowledge/packages/project_releases.h"
#include "knowledge/packages/release.h"
#include "plan/commands/command_parts.h"

namespace culprit::plan {
namespace {

using report::PlannedPackage;

const knowledge::SourceBuild* RowOf(const PlannedPackage& package) {
  return knowledge::FindSourceBuild(package.name, package.version);
}

std::string ToolkitOf(const report::Plan& plan) {
  const auto found = std::ranges::find(plan.packages, report::PackageRole::kToolkit, &PlannedPackage::role);
  if (found == plan.packages.end()) return "";
  const auto version = base::Version::Parse(found->version);
  return version ? knowledge::MinorOf(*version).ToString() : "";
}

// "8.0;9.0" or "80;90": the GPUs of the host.
std::string Capabilities(const Host& host, bool with_dot) {
  const std::set<base::Version> gpus(host.gpus.begin(), host.gpus.end());
  std::string list;
  for (const base::Version& gpu : gpus)
    list += (list.empty() ? "" : ";") + std::to_string(gpu.part(0)) + (with_dot ? "." : "") +
            std::to_string(gpu.part(1));
  return list;
}

// The variables of a row with the host's GPUs in them; those about GPUs are left out where none is known.
std::vector<std::string> VariablesOf(const knowledge::SourceBuild& row, const Host& host) {
  std::vector<std::string> variables;
  for (const std::string_view text : row.variables) {
    std::string one(text);
    bool known = true;
    for (const auto& [blank, with_dot] : {std::pair("{code}", true), std::pair("{numbers}", false)}) {
      const size_t at = one.find(blank);
      if (at == std::string::npos) continue;
      known = !host.gpus.empty();
      one.replace(at, std::string_view(blank).size(), Capabilities(host, with_dot));
    }
    if (known) variables.push_back(std::move(one));
  }
  return variables;
}

// "NAME=VALUE" for a shell.
Command Assignment(const std::string& text) {
  const size_t sign = text.find('=');
  return report::FromTable(text.substr(0, sign + 1)) + "\"" + report::InQuotes(text.substr(sign + 1)) + "\" ";
}

}  // namespace

Command BuildTools(const Parts& parts) {
  std::set<std::string> names;
  for (const PlannedPackage* package : parts.built) {
    const knowledge::SourceBuild* row = RowOf(*package);
    if (row == nullptr || !row->no_build_isolation) continue;
    for (const std::string_view first : row->first) {
      if (first != "torch" && first != "jax" && first != "torchvision") names.emplace(first);
    }
  }
  Command words;
  for (const std::string& name : names) words += " " + Plain(name);
  return words;
}

std::vector<std::string> BuildVariables(const PlannedPackage& package, const report::Plan& plan,
                                        const Question& question) {
  const knowledge::SourceBuild* row = RowOf(package);
  if (row == nullptr) return {};
  std::vector<std::string> variables = VariablesOf(*row, question.host);
  const std::string toolkit = ToolkitOf(plan);
  if (row->nvcc && !toolkit.empty() && question.host.machine != Machine::kWindows)
    variables.insert(variables.begin(), "CUDA_HOME=/usr/local/cuda-" + toolkit);
  return variables;
}

Command BuildWords(const PlannedPackage& package) {
  const knowledge::SourceBuild* row = RowOf(package);
  Command words;
  if (row == nullptr) return " " + PinnedWord(package);
  if (row->no_build_isolation) words += " --no-build-isolation";
  for (const std::string_view option : row->options) words += " " + report::FromTable(option);
  if (!row->requirement.empty()) return words + " " + Word(row->requirement);
  return words + " " + PinnedWord(package);
}

std::string CompilerWords(const report::Plan& plan, bool windows) {
  const std::string toolkit = ToolkitOf(plan);
  const auto version = base::Version::Parse(toolkit);
  const knowledge::NvccRow* row = version ? knowledge::FindNvcc(*version) : nullptr;
  const std::string nvcc = "nvcc" + (toolkit.empty() ? "" : " " + toolkit);
  if (windows) {
    return nvcc + " needs Visual Studio with its C++ compiler" +
           (row == nullptr || row->visual_studio.empty() ? "" : ": " + std::string(row->visual_studio));
  }
  return nvcc + " needs gcc and g++" +
         (row == nullptr || row->gcc_max.empty() ? "" : ", up to " + std::string(row->gcc_max));
}

void AddBuilds(report::Plan& plan, const Parts& parts, const Question& question, const Command& install) {
  if (parts.built.empty()) return;
  const bool windows = question.host.machine == Machine::kWindows;
  report::PlanStep compiler{.title = "compiler", .why = CompilerWords(plan, windows)};
  if (!windows) compiler.commands = {"sudo apt-get install -y build-essential"};
  const bool nvcc = std::ranges::any_of(parts.built, [](const PlannedPackage* package) {
    const knowledge::SourceBuild* row = RowOf(*package);
    return row != nullptr && row->nvcc;
  });
  if (nvcc) plan.steps.push_back(std::move(compiler));
  report::PlanStep step{.title = "build",
                        .why = "no wheels are published for these, so they are compiled here"};
  if (const Command tools = BuildTools(parts); !tools.empty()) step.commands.push_back(install + tools);
  for (const PlannedPackage* package : parts.built) {
    const knowledge::SourceBuild* row = RowOf(*package);
    Command command;
    std::string by_hand;
    for (const std::string& variable : BuildVariables(*package, plan, question)) {
      if (windows) {
        by_hand += (by_hand.empty() ? "" : ", ") + variable;
      } else {
        command += Assignment(variable);
        if (variable.starts_with("CUDA_HOME="))
          command +=
              "PATH=\"" + report::InQuotes(variable.substr(sizeof("CUDA_HOME=") - 1)) + "/bin:$PATH\" ";
      }
    }
    if (!by_hand.empty()) step.why += "; set before " + package->name + ": " + by_hand;
    step.commands.push_back(command + install + BuildWords(*package));
    if (row != nullptr && !row->note.empty())
      plan.notes.push_back(package->name + ": " + std::string(row->note));
  }
  plan.steps.push_back(std::move(step));
}

}  // namespace culprit::plan
