// The steps of a probe, named once for the program that does them, the runner and the report.
#pragma once

#include <span>
#include <string_view>

namespace culprit::probe {

struct StepKind {
  std::string_view job;    // "driver", "runtime", "cudnn", "framework", "compile"
  std::string_view name;   // "kernel"
  std::string_view title;  // "a kernel from PTX, compiled by the driver"
  std::string_view needs;  // the step of the same job without which it cannot be tried; "" none
  bool deep = false;       // only with --deep
};

// In the order in which they are done.
std::span<const StepKind> AllSteps();
// nullptr when there is none of that name.
const StepKind* FindStep(std::string_view name);

}  // namespace culprit::probe
