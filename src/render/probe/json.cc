// A probe in the JSON format of docs/json-output.md.
#include "base/json.h"

#include "render/document.h"
#include "render/finding.h"
#include "render/probe/probe.h"

namespace culprit::render {
namespace {

using base::Json;
using Outcome = report::ProbeStepRow::Outcome;

// Unknown values are null, not "".
Json Known(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json DeviceJson(const report::ProbeDevice& device) {
  Json holders = Json::array();
  for (const report::ProbeHolder& holder : device.holders) {
    holders.push_back({{"pid", std::stoull(holder.pid)},
                       {"name", Known(holder.name)},
                       {"bytes", holder.bytes == 0 ? Json(nullptr) : Json(holder.bytes)}});
  }
  return {{"index", Known(device.index)},
          {"nvml_index", Known(device.nvml_index)},
          {"name", device.name},
          {"uuid", Known(device.uuid)},
          {"bus_id", Known(device.bus_id)},
          {"compute_capability", Known(device.compute_capability)},
          {"memory_total", device.memory_total == 0 ? Json(nullptr) : Json(device.memory_total)},
          {"memory_free", device.memory_total == 0 ? Json(nullptr) : Json(device.memory_free)},
          {"compute_mode", Known(std::string(base::Word(device.compute_mode)))},
          {"mig", Known(std::string(base::Word(device.mig)))},
          {"ecc", Known(std::string(base::Word(device.ecc)))},
          {"ecc_errors", Known(device.ecc_errors)},
          {"driver_model", Known(device.driver_model)},
          {"holders", std::move(holders)}};
}

Json StepJson(const report::ProbeStepRow& step) {
  Json libraries = Json::array(), figures = Json::object();
  for (const report::ProbeLibrary& library : step.libraries) {
    libraries.push_back(
        {{"name", library.name}, {"path", library.path}, {"version", Known(library.version)}});
  }
  for (const auto& [name, value] : step.figures) figures[name] = value;
  return {{"name", step.name},
          {"title", step.title},
          {"group", step.group},
          {"subject", step.subject},
          {"ok", step.outcome == Outcome::kNotRun ? Json(nullptr) : Json(step.outcome == Outcome::kOk)},
          {"status", step.status},
          {"detail", step.detail},
          {"ms", step.ms},
          {"cause", Known(step.cause)},
          {"code", Known(step.code)},
          {"libraries", std::move(libraries)},
          {"figures", std::move(figures)}};
}

}  // namespace

std::string ToJson(const report::ProbeReport& report) {
  Json devices = Json::array(), steps = Json::array(), findings = Json::array(), not_checked = Json::array();
  for (const report::ProbeDevice& device : report.devices) devices.push_back(DeviceJson(device));
  for (const report::ProbeStepRow& step : report.steps) steps.push_back(StepJson(step));
  for (const report::Finding& finding : report.findings) findings.push_back(FindingJson(finding));
  for (const report::NotChecked& item : report.not_checked)
    not_checked.push_back({{"what", item.what}, {"why", item.why}});
  return JsonDocument({{"schema", "culprit.probe/1"},
                       {"verdict", Name(report.verdict)},
                       {"headline", report.headline},
                       {"devices", std::move(devices)},
                       {"steps", std::move(steps)},
                       {"findings", std::move(findings)},
                       {"not_checked", std::move(not_checked)},
                       {"advice", report.advice}});
}

}  // namespace culprit::render
