// The steps of a probe, named once for culprit-probe, the runner and the report.
#pragma once

#include <span>
#include <string_view>

#include "snapshot/probe_kinds.h"

namespace culprit::probe {

using snapshot::JobKind;
using snapshot::JobOf;
using snapshot::StepName;
using snapshot::StepOutcome;

struct StepKind {
  StepName name = StepName::kNone;
  std::string_view title;            // "a kernel from PTX, compiled by the driver"
  StepName needs = StepName::kNone;  // the step of the same job that must pass first
  bool deep = false;                 // only with --deep
};

// In the order in which they run.
std::span<const StepKind> AllSteps();
// Not for kNone.
const StepKind& KindOf(StepName name);

}  // namespace culprit::probe
