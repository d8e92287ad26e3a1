// GPU code of a file -> what `inspect` says about it.
#pragma once

#include "binfmt/gpu/fatbin.h"
#include "report/inspect.h"

namespace culprit::inspect {

report::GpuCodeAnswer DescribeGpuCode(const binfmt::GpuCode& code);

}  // namespace culprit::inspect
