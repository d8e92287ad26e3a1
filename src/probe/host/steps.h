// The steps of a probe, named once for the program that does them, the runner and the report.
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
  StepName needs = StepName::kNone;  // the step of the same job without which it cannot be tried
  bool deep = false;                 // only with --deep
};

// In the order in which they are done.
std::span<const StepKind> AllSteps();
// Not for kNone.
const StepKind& KindOf(StepName name);

}  // namespace culprit::probe
