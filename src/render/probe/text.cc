// A probe for the terminal: the verdict, the devices, each step with a check mark; a group with a failure
// first, and its explanation as `check` would print it.
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "render/finding.h"
#include "render/probe/probe.h"

namespace culprit::render {
namespace {

using report::ProbeStepRow;
using Outcome = ProbeStepRow::Outcome;

std::string Mark(Outcome outcome, const Style& style) {
  switch (outcome) {
    case Outcome::kOk:
      return style.Good("✓");
    case Outcome::kFailed:
      return style.Bad("✗");
    case Outcome::kNotRun:
      return style.Dim("–");
  }
  return " ";
}

std::string Time(const ProbeStepRow& step) {
  if (step.outcome == Outcome::kNotRun) return "";
  return step.ms < 10 ? fmt::format("{:.1f} ms", step.ms) : fmt::format("{:.0f} ms", step.ms);
}

// The directory of a cuDNN file that is not next to the others of its group.
std::string GroupDirectory(const std::vector<ProbeStepRow>& steps, const std::string& group) {
  for (const ProbeStepRow& step : steps) {
    if (step.group != group) continue;
    for (const report::ProbeLibrary& library : step.libraries) {
      if (library.name.starts_with("libcudnn.") || library.name.starts_with("cudnn64"))
        return std::string(base::DirName(library.path));
    }
  }
  return "";
}

bool IsCudnnFromElsewhere(const report::ProbeLibrary& library, const std::string& directory) {
  const bool cudnn = library.name.starts_with("libcudnn") || library.name.starts_with("cudnn");
  return cudnn && !directory.empty() && base::DirName(library.path) != directory;
}

std::string StepText(const ProbeStepRow& step, size_t width, const std::string& directory, const Style& style,
                     bool verbose) {
  std::string line = fmt::format("  {} {:<{}}  {:>9}", Mark(step.outcome, style), base::Printable(step.title),
                                 width, Time(step));
  const std::string remark = base::Printable(StepRemark(step, verbose));
  if (!remark.empty())
    line += "  " + (step.outcome == Outcome::kFailed ? style.Bad(remark) : style.Dim(remark));
  while (line.ends_with(' ')) line.pop_back();
  line += "\n";
  for (const report::ProbeLibrary& library : step.libraries) {
    const bool elsewhere = IsCudnnFromElsewhere(library, directory);
    if (!verbose && !elsewhere) continue;
    const std::string text = base::Printable(library.path) +
                             (library.version.empty() ? "" : "  " + base::Printable(library.version));
    line += "      " + (elsewhere ? style.Warn(text) : style.Dim(text)) + "\n";
  }
  return line;
}

std::string StepsText(const report::ProbeReport& report, const Style& style, bool verbose) {
  size_t width = 0;
  for (const ProbeStepRow& step : report.steps) width = std::max(width, base::Printable(step.title).size());
  std::string text, group;
  for (const ProbeStepRow& step : report.steps) {
    if (step.group != group || text.empty()) {
      group = step.group;
      text += "\n" + style.Bold(group) + "\n";
    }
    text += StepText(step, width, GroupDirectory(report.steps, group), style, verbose);
  }
  return text;
}

std::string DevicesText(const report::ProbeReport& report, const Style& style, bool verbose) {
  std::string text;
  for (const report::ProbeDevice& device : report.devices) {
    const std::string index = device.index.empty() ? "not visible to CUDA" : "GPU " + device.index;
    text += fmt::format("  {}  {}\n", style.Bold(index), base::Printable(DeviceLine(device)));
    if (verbose || device.index != device.nvml_index) {
      const std::string nvml =
          device.nvml_index.empty() ? "not shown by NVML" : "nvidia-smi calls it " + device.nvml_index;
      text += "         " + style.Dim(nvml + ", " + device.uuid + ", " + device.bus_id) + "\n";
    }
    for (const report::ProbeHolder& holder : device.holders)
      text += "         " + base::Printable(HolderLine(holder)) + "\n";
  }
  return text.empty() ? text : "\n" + style.Bold("devices") + "\n" + text;
}

}  // namespace

std::string ToText(const report::ProbeReport& report, const Style& style, const ProbeDetail& detail) {
  std::string text = VerdictText(report.verdict, report.headline, style) + "\n";
  const bool failed = std::ranges::any_of(
      report.steps, [](const ProbeStepRow& step) { return step.outcome == Outcome::kFailed; });
  const std::string devices = DevicesText(report, style, detail.verbose);
  if (!failed) text += devices;
  text += StepsText(report, style, detail.verbose);
  if (failed) text += devices;
  for (const report::Finding& finding : report.findings) text += "\n" + FindingText(finding, style);
  if (!report.not_checked.empty()) {
    text += "\n" + style.Bold("not tried") + "\n";
    for (const report::NotChecked& item : report.not_checked)
      text += fmt::format("  {}: {}\n", base::Printable(item.what), base::Printable(item.why));
  }
  if (!report.advice.empty()) {
    text += "\n" + style.Bold("for the build") + "\n";
    for (const std::string& line : report.advice) text += "  " + base::Printable(line) + "\n";
  }
  if (!report.findings.empty())
    text += "\n" + style.Dim("more: culprit explain " + report.findings.front().code) + "\n";
  return text;
}

}  // namespace culprit::render
