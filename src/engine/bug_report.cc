#include "engine/bug_report.h"

#include <fmt/ranges.h>

#include <utility>

#include "collect/record.h"
#include "snapshot/secrets/hide.h"

namespace culprit::engine {
namespace {

using report::StackRow;
using Rows = std::vector<StackRow>;

void Add(Rows& rows, std::string what, const std::string& value, std::string where = "",
         std::string detail = "") {
  if (!value.empty())
    rows.push_back(
        {.what = std::move(what), .value = value, .where = std::move(where), .detail = std::move(detail)});
}

// The CPU's name and how many of them; what programs may use of it stands beside.
void AddProcessor(Rows& rows, const base::Cpu& cpu, const collect::MaintainerFacts& facts) {
  Add(rows, "CPU", cpu.machine, "", fmt::format("{}", fmt::join(cpu.isa_levels, ", ")));
  Add(rows, "processor", facts.processor, "",
      facts.processors == 0 ? "" : fmt::format("{} logical CPUs", facts.processors));
  constexpr double kKibPerGib = 1 << 20;
  if (facts.memory_kib != 0)
    Add(rows, "memory", fmt::format("{:.1f} GiB", static_cast<double>(facts.memory_kib) / kKibPerGib));
}

void AddSystem(Rows& rows, const snapshot::Snapshot& snapshot, const collect::MaintainerFacts& facts) {
  if (const auto* windows = snapshot.windows())
    Add(rows, "system", "Windows " + (windows->version.empty() ? "of unknown version" : windows->version));
  AddProcessor(rows, snapshot.cpu, facts);
  for (const snapshot::LoaderFacts& loader : snapshot.loaders)
    Add(rows, "libc", std::string(Name(loader.flavor)) + (loader.version.empty() ? "" : " " + loader.version),
        loader.path);
  const auto& context = snapshot.stack.context;
  if (!context) return;
  Add(rows, "system", context->distribution);
  Add(rows, "kernel", context->kernel);
  Add(rows, "container", context->container, "", context->container_source);
  Add(rows, "virtual machine", context->virtual_machine, "", context->virtual_machine_source);
  if (context->wsl) Add(rows, "WSL", "yes");
  Add(rows, "Jetson", context->jetson);
  Add(rows, "Secure Boot", context->secure_boot);
  Add(rows, "user", context->root ? "root" : "not root", "", context->sudo_user.empty() ? "" : "by sudo");
}

void AddDriver(Rows& rows, const snapshot::Stack& stack) {
  if (!stack.driver) return;
  for (const snapshot::DriverLibrary& library : stack.driver->libraries)
    Add(rows, library.name, library.version.empty() ? "unknown version" : library.version, library.path);
  if (stack.driver->modules)
    Add(rows, "loaded modules", fmt::format("{}", fmt::join(*stack.driver->modules, ", ")));
  if (stack.driver->module_files) {
    for (const snapshot::ModuleFile& file : *stack.driver->module_files)
      Add(rows, "module file", file.version.empty() ? "unknown version" : file.version, file.path,
          "for kernel " + file.kernel);
  }
}

std::string ValueAt(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

void AddCompilers(Rows& rows, const snapshot::Stack& stack, const collect::MaintainerFacts& facts) {
  if (stack.toolkits) {
    for (const snapshot::Toolkit& toolkit : stack.toolkits->copies) {
      const std::string build = ValueAt(facts.nvcc_builds, toolkit.nvcc);
      const bool first = toolkit.nvcc == stack.toolkits->nvcc_on_path;
      Add(rows, "nvcc", toolkit.nvcc_version, toolkit.nvcc,
          fmt::format("{}{}{}", first ? "on PATH" : "", first && !build.empty() ? ", " : "",
                      build.empty() ? "" : "build " + build));
    }
  }
  // Of a recorded machine only what decides about a build is known.
  const bool recorded = facts.tools.empty() && stack.toolkits;
  for (const snapshot::Compiler& tool : recorded ? stack.toolkits->host_compilers : facts.tools)
    Add(rows, tool.name, tool.version.empty() ? "unknown version" : tool.version, tool.path, tool.source);
}

}  // namespace

report::BugReport MakeBugReport(const snapshot::Snapshot& snapshot, report::CheckReport check,
                                const collect::MaintainerFacts& facts) {
  report::BugReport report{.check = std::move(check), .machine = {}, .variables = {}, .environments = {}};
  AddSystem(report.machine, snapshot, facts);
  AddDriver(report.machine, snapshot.stack);
  AddCompilers(report.machine, snapshot.stack, facts);
  for (auto& [name, value] : collect::RelevantEnvironment(snapshot.environment))
    report.variables.emplace_back(name, snapshot::HideVariable(name, value));
  if (!snapshot.stack.environments) return report;
  for (const snapshot::PythonEnvironment& environment : *snapshot.stack.environments) {
    const std::string exact = ValueAt(facts.pythons, environment.prefix);
    report::EnvironmentPackages list{
        .prefix = environment.prefix, .python = exact.empty() ? environment.python : exact, .packages = {}};
    for (const snapshot::PythonPackage& package : environment.packages)
      list.packages.emplace_back(package.name, package.version);
    report.environments.push_back(std::move(list));
  }
  return report;
}

}  // namespace culprit::engine
