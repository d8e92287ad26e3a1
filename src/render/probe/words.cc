// Texts for steps and devices that text and Markdown share.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "render/probe/probe.h"

namespace culprit::render {
namespace {

using base::ComputeMode;

constexpr double kGiB = 1024.0 * 1024 * 1024;

// Figures that are shown without --verbose, in this order.
struct FigureWords {
  std::string_view name;
  std::string_view format;  // "{}" is the value
};
constexpr std::array kFigures = {
    FigureWords{"relative_error", "relative error {}"},
    FigureWords{"host_to_device_gbps", "{} GB/s to the device"},
    FigureWords{"device_to_host_gbps", "{} GB/s back"},
    FigureWords{"jit_ms", "compiled in {} ms"},
    FigureWords{"direct_access", "direct access: {}"},
};

std::string WithFigure(std::string_view format, const std::string& value) {
  const size_t at = format.find("{}");
  return std::string(format.substr(0, at)) + value + std::string(format.substr(at + 2));
}

}  // namespace

std::string StepRemark(const report::ProbeStepRow& step, bool verbose) {
  std::vector<std::string> parts;
  if (step.outcome == report::ProbeStepRow::Outcome::kFailed) {
    parts.push_back(step.status + (step.detail.empty() ? "" : " (" + step.detail + ")"));
    if (!step.cause.empty()) parts.push_back(step.cause + (step.code.empty() ? "" : ", " + step.code));
  } else if (!step.detail.empty()) {
    parts.push_back(step.detail);
  }
  for (const FigureWords& figure : kFigures) {
    const auto found = step.figures.find(std::string(figure.name));
    // Skip a figure that the detail already has.
    if (found != step.figures.end() && step.detail.find(found->second) == std::string::npos)
      parts.push_back(WithFigure(figure.format, found->second));
  }
  if (verbose) {
    for (const auto& [name, value] : step.figures) {
      if (std::ranges::find(kFigures, name, &FigureWords::name) == kFigures.end())
        parts.push_back(name + " " + value);
    }
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::string DeviceLine(const report::ProbeDevice& device) {
  std::string line = device.name.empty() ? "unknown device" : device.name;
  if (!device.compute_capability.empty()) line += ", compute capability " + device.compute_capability;
  if (device.memory_total > 0) {
    line += fmt::format(", {:.1f} of {:.1f} GiB free", static_cast<double>(device.memory_free) / kGiB,
                        static_cast<double>(device.memory_total) / kGiB);
  }
  if (device.compute_mode != ComputeMode::kUnknown && device.compute_mode != ComputeMode::kDefault)
    line += ", compute mode " + std::string(base::Word(device.compute_mode));
  if (device.mig == base::Switch::kOn) line += ", MIG on";
  if (device.ecc == base::Switch::kOff) line += ", ECC off";
  if (!device.ecc_errors.empty() && device.ecc_errors != "0")
    line += ", " + device.ecc_errors + " uncorrected ECC errors";
  if (!device.driver_model.empty()) line += ", " + device.driver_model;
  return line;
}

std::string HolderLine(const report::ProbeHolder& holder) {
  std::string line = "PID " + holder.pid + (holder.name.empty() ? "" : " " + holder.name) + " holds ";
  return line +
         (holder.bytes == 0 ? "memory" : fmt::format("{:.1f} GiB", static_cast<double>(holder.bytes) / kGiB));
}

}  // namespace culprit::render
