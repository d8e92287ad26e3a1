// `probe` as text, JSON and Markdown. Pure: report -> string.
#pragma once

#include <string>

#include "render/style.h"
#include "report/probe.h"

namespace culprit::render {

struct ProbeDetail {
  bool verbose = false;  // every figure, every loaded file, and each device's identity
};

std::string ToText(const report::ProbeReport& report, const Style& style, const ProbeDetail& detail = {});
std::string ToJson(const report::ProbeReport& report);
std::string ToMarkdown(const report::ProbeReport& report);

// A step in one line: its main figures, or what went wrong. "2.1e-07 relative error".
std::string StepRemark(const report::ProbeStepRow& step, bool verbose);
// "NVIDIA H200, compute capability 9.0, 139.2 of 139.8 GiB free".
std::string DeviceLine(const report::ProbeDevice& device);
// "PID 4711 python3 holds 61.3 GiB".
std::string HolderLine(const report::ProbeHolder& holder);

}  // namespace culprit::render
