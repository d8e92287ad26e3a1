// The libraries of CUDA that one load is missing, together: one load gives one finding with one fix.
#pragma once

#include <string>
#include <vector>

#include "rules/kit/loading/failed_loads.h"

namespace culprit::rules {

using MissingTogether = std::vector<FailedLoad>;

// The CUDA libraries that are not on the machine, or only in other majors: those of one process together,
// those that only strings tell apart.
std::vector<MissingTogether> MissingCudaLibraries(const Scene& scene);

// Whether the machine has one of them in another major.
bool InOtherMajor(const MissingTogether& load);

// "libcublas.so.12 and libcufft.so.11 (CUDA 12)"; if they are of several majors, each with its own.
std::string CudaNamesOf(const MissingTogether& load);

// A finding about all of them.
report::Finding& Fire(Ruling& ruling, const MissingTogether& load, std::string summary,
                      std::vector<std::string> about = {});

}  // namespace culprit::rules
