#include "made_up_probe.h"

#include <initializer_list>
#include <set>
#include <stdexcept>

namespace culprit::model {
namespace {

void OnlyKeys(const toml::table& table, std::initializer_list<std::string_view> known) {
  for (const auto& [key, unused] : table) {
    if (std::set<std::string_view>(known).contains(key.str())) continue;
    throw std::runtime_error("a probe has no key " + std::string(key.str()));
  }
}

template <typename Function>
void Each(const toml::table& table, std::string_view key, Function function) {
  const toml::array* array = table[key].as_array();
  if (array == nullptr) return;
  for (const toml::node& node : *array) {
    if (node.as_table() == nullptr) throw std::runtime_error(std::string(key) + ": a table is wanted");
    function(*node.as_table());
  }
}

std::string Text(const toml::table& table, std::string_view key, std::string otherwise = "") {
  return table[key].value_or(std::move(otherwise));
}

template <base::Worded Enum>
Enum Kind(const toml::table& table, std::string_view key, Enum otherwise) {
  const std::string word = Text(table, key, std::string(base::Word(otherwise)));
  const auto known = base::FromWord<Enum>(word);
  if (!known) throw std::runtime_error(std::string(key) + " is never \"" + word + "\"");
  return *known;
}

snapshot::ProbeStep Step(const toml::table& table) {
  OnlyKeys(table, {"job", "name", "subject", "outcome", "status", "call", "detail", "library", "output",
                   "figures", "libraries"});
  snapshot::ProbeStep step{.job = Text(table, "job", "driver"),
                           .name = Kind(table, "name", snapshot::StepName::kNone),
                           .title = "",
                           .subject = Text(table, "subject"),
                           .outcome = Kind(table, "outcome", snapshot::StepOutcome::kFailed),
                           .status = Text(table, "status"),
                           .call = Text(table, "call"),
                           .detail = Text(table, "detail"),
                           .library = Text(table, "library"),
                           .microseconds = 1000,
                           .libraries = {},
                           .figures = {},
                           .output = Text(table, "output")};
  Each(table, "libraries", [&](const toml::table& one) {
    step.libraries.push_back({Text(one, "name"), Text(one, "path"), Text(one, "version")});
  });
  if (const toml::table* figures = table["figures"].as_table()) {
    for (const auto& [name, value] : *figures)
      step.figures[std::string(name.str())] = value.value_or(std::string());
  }
  return step;
}

snapshot::ProbedDevice Device(const toml::table& table) {
  OnlyKeys(table, {"cuda", "nvml", "name", "capability", "total_mib", "free_mib", "mode", "mig", "ecc_errors",
                   "holders"});
  snapshot::ProbedDevice device;
  device.cuda_index = Text(table, "cuda", "0");
  device.nvml_index = Text(table, "nvml", "0");
  device.name = Text(table, "name", "NVIDIA H100 80GB HBM3");
  device.uuid = "GPU-11111111-2222-3333-4444-555555555555";
  device.compute_capability = Text(table, "capability", "9.0");
  device.memory_total = table["total_mib"].value_or(uint64_t{81559}) << 20;
  device.memory_free = table["free_mib"].value_or(uint64_t{80000}) << 20;
  device.compute_mode = Kind(table, "mode", base::ComputeMode::kDefault);
  device.mig = Kind(table, "mig", base::Switch::kOff);
  device.ecc = base::Switch::kOn;
  device.ecc_errors = Text(table, "ecc_errors", "0");
  Each(table, "holders", [&](const toml::table& one) {
    device.holders.push_back(
        {one["pid"].value_or(uint64_t{0}), Text(one, "name"), one["mib"].value_or(uint64_t{0}) << 20});
  });
  return device;
}

}  // namespace

std::optional<snapshot::ProbeFacts> MadeUpProbe(const toml::table& description) {
  if (!description.contains("step") && !description.contains("device")) return std::nullopt;
  snapshot::ProbeFacts facts;
  Each(description, "device", [&](const toml::table& one) { facts.devices.push_back(Device(one)); });
  Each(description, "step", [&](const toml::table& one) { facts.steps.push_back(Step(one)); });
  return facts;
}

}  // namespace culprit::model
