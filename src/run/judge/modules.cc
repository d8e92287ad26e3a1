// A module with the name of a framework that is not the framework: a folder or script with that name comes
// first on sys.path. The import of a framework opens its libraries (data/imports.toml); of such a module,
// nothing is opened.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "knowledge/packages/imports.h"
#include "run/judge/parts.h"

namespace culprit::run {
namespace {

// "module 'torch.nn' has no attribute 'x'" -> "torch"
std::string ModuleOf(std::string_view line) {
  constexpr std::string_view kBefore = "module '", kAfter = "' has no attribute";
  const size_t begin = line.find(kBefore), end = line.find(kAfter);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + kBefore.size())
    return "";
  const std::string_view name = line.substr(begin + kBefore.size(), end - begin - kBefore.size());
  return std::string(name.substr(0, name.find('.')));
}

// Importing it opens a file of its own folder.
bool OpensFiles(const std::string& framework) {
  return std::ranges::any_of(knowledge::ImportRows(), [&](const knowledge::ImportRow& row) {
    return row.framework == framework && row.os == knowledge::ImportOs::kUnix &&
           std::ranges::any_of(row.names,
                               [&](std::string_view name) { return name.starts_with(framework + "/"); });
  });
}

}  // namespace

std::string ShadowedFramework(const report::RunReport& report, std::span<const logs::Symptom> symptoms) {
  for (const logs::Symptom& symptom : symptoms) {
    const std::string module = ModuleOf(symptom.text);
    if (module.empty() || !OpensFiles(module)) continue;
    const bool imported = std::ranges::any_of(report.loads, [&](const report::RunLoad& load) {
      return base::Contains(load.path, "/" + module + "/");
    });
    if (!imported) return module;
  }
  return "";
}

void SettleByModule(const report::RunReport& report, std::span<const logs::Symptom> symptoms,
                    std::vector<Settlement>& settlements) {
  const std::string module = ShadowedFramework(report, symptoms);
  if (module.empty()) return;
  Settlement shadowed{"application-bug", true,
                      fmt::format("the imported module '{0}' is not the framework: a file or folder named "
                                  "{0} comes first on sys.path",
                                  module)};
  shadowed.because = fmt::format("importing the real {} opens its libraries; none was opened here", module);
  shadowed.fix = {
      .text = fmt::format("rename or move that file or folder, or remove its directory from PYTHONPATH; "
                          "`{0}.__path__` shows which it is",
                          module),
      .commands = {"python3 -c " + report::Word(fmt::format("import {0}; print({0}.__path__)", module))},
      .risk = report::Risk::kNone};
  shadowed.decides = true;
  settlements.push_back(std::move(shadowed));
}

}  // namespace culprit::run
