// The GPU code of a file, as `inspect` shows it.
#pragma once

#include "binfmt/gpu/fatbin.h"
#include "report/inspect.h"

namespace culprit::inspect {

report::GpuCodeAnswer DescribeGpuCode(const binfmt::GpuCode& code);

}  // namespace culprit::inspect
