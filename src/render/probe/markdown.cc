// A probe for an issue tracker: failures and causes expanded, steps and devices collapsed.
#include "render/markdown.h"

#include <fmt/format.h>

#include "base/product_version.h"
#include "base/text.h"
#include "render/finding.h"
#include "render/probe/probe.h"

namespace culprit::render {
namespace {

using report::ProbeStepRow;
using Outcome = ProbeStepRow::Outcome;

std::string StepMarkdown(const ProbeStepRow& step) {
  const char* mark = step.outcome == Outcome::kOk ? "✓" : step.outcome == Outcome::kFailed ? "✗" : "–";
  const std::string time = step.outcome == Outcome::kNotRun ? "" : fmt::format("{:.1f}", step.ms);
  std::string remark = Plain(StepRemark(step, false));
  for (const report::ProbeLibrary& library : step.libraries) {
    remark += (remark.empty() ? "" : "; ") + Code(library.path) +
              (library.version.empty() ? "" : " " + Plain(library.version));
  }
  return fmt::format("| {} | {} | {} | {} | {} |\n", mark, Plain(step.group), Plain(step.title), time,
                     remark);
}

}  // namespace

std::string ToMarkdown(const report::ProbeReport& report) {
  std::string text = "### culprit probe: " + Plain(report.headline) + "\n\n";
  for (const report::Finding& finding : report.findings) text += FindingMarkdown(finding);
  std::string table = "| | | step | ms | |\n|---|---|---|---|---|\n";
  for (const ProbeStepRow& step : report.steps) table += StepMarkdown(step);
  text += Folded("steps", table) + "\n";
  std::string devices;
  for (const report::ProbeDevice& device : report.devices) {
    devices +=
        "- " + Plain((device.index.empty() ? "hidden" : device.index) + ": " + DeviceLine(device)) + "\n";
    for (const report::ProbeHolder& holder : device.holders)
      devices += "  - " + Plain(HolderLine(holder)) + "\n";
  }
  if (!devices.empty()) text += Folded("devices", devices) + "\n";
  std::string missing;
  for (const auto& item : report.not_checked)
    missing += "- " + Plain(item.what) + ": " + Plain(item.why) + "\n";
  if (!missing.empty()) text += Folded("not tried", missing) + "\n";
  for (const std::string& line : report.advice) text += "For the build: " + Code(line) + "\n\n";
  return text + "culprit " + std::string(base::ProductVersion()) + "\n";
}

}  // namespace culprit::render
