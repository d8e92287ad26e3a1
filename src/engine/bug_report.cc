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

void AddSystem(Rows& rows, const snapshot::Snapshot& snapshot) {
  if (const auto* windows = snapshot.windows())
    Add(rows, "system", "Windows " + (windows->version.empty() ? "of unknown version" : windows->version));
  Add(rows, "CPU", snapshot.cpu.machine, "", fmt::format("{}", fmt::join(snapshot.cpu.isa_levels, ", ")));
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

void AddCompilers(Rows& rows, const snapshot::Stack& stack) {
  if (!stack.toolkits) return;
  for (const snapshot::Toolkit& toolkit : stack.toolkits->copies)
    Add(rows, "nvcc", toolkit.nvcc_version, toolkit.nvcc,
        toolkit.nvcc == stack.toolkits->nvcc_on_path ? "on PATH" : "");
  for (const snapshot::Compiler& compiler : stack.toolkits->host_compilers)
    Add(rows, compiler.name, compiler.version, compiler.path, compiler.source);
}

}  // namespace

report::BugReport MakeBugReport(const snapshot::Snapshot& snapshot, report::CheckReport check) {
  report::BugReport report{.check = std::move(check), .machine = {}, .variables = {}, .environments = {}};
  AddSystem(report.machine, snapshot);
  AddDriver(report.machine, snapshot.stack);
  AddCompilers(report.machine, snapshot.stack);
  for (auto& [name, value] : collect::RelevantEnvironment(snapshot.environment))
    report.variables.emplace_back(name, snapshot::HideVariable(name, value));
  if (!snapshot.stack.environments) return report;
  for (const snapshot::PythonEnvironment& environment : *snapshot.stack.environments) {
    report::EnvironmentPackages list{
        .prefix = environment.prefix, .python = environment.python, .packages = {}};
    for (const snapshot::PythonPackage& package : environment.packages)
      list.packages.emplace_back(package.name, package.version);
    report.environments.push_back(std::move(list));
  }
  return report;
}

}  // namespace culprit::engine
