#include "change/whatif/steps.h"

#include <memory>
#include <utility>
#include <variant>

namespace culprit::whatif {

void Append(system::SystemChanges made, system::SystemChanges& all) {
  for (const std::string& path : made.removed) {
    all.put.erase(path);
    all.put.erase(all.put.lower_bound(path + "/"), all.put.lower_bound(path + char{'/' + 1}));
    all.modes.erase(path);
    all.removed.insert(path);
  }
  for (auto& [path, node] : made.put) {
    all.modes.erase(path);
    all.put.insert_or_assign(path, std::move(node));
  }
  for (const auto& [path, mode] : made.modes) {
    if (const auto put = all.put.find(path); put != all.put.end()) {
      put->second.mode = mode;
    } else {
      all.modes[path] = mode;
    }
  }
  for (const auto& [name, value] : made.variables) {
    all.unset.erase(name);
    all.variables[name] = value;
  }
  for (const std::string& name : made.unset) {
    all.variables.erase(name);
    all.unset.insert(name);
  }
  for (auto& [key, values] : made.registry) {
    for (auto& [name, value] : values.values) all.registry[key].values[name] = std::move(value);
  }
}

Changes InSteps(const system::System& machine, std::span<const report::Change> steps) {
  std::shared_ptr<const system::System> now(std::shared_ptr<void>(), &machine);  // not ours
  system::SystemChanges all;
  for (const report::Change& step : steps) {
    Changes made = std::visit([&](const auto& one) { return Make(*now, one); }, step.value());
    if (!made) return made;
    Append(*made, all);
    now = system::ChangedSystem(std::move(now), std::move(*made));
  }
  return all;
}

}  // namespace culprit::whatif
