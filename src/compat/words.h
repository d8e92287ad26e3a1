// Names for the things in a compat question, and a driver that stands for its branch.
#pragma once

#include <functional>
#include <string>

#include "compat/question.h"
#include "knowledge/answer.h"
#include "report/compat.h"

namespace culprit::compat {

report::Compatible InReport(knowledge::Verdict verdict);

std::string DriverWords(const CompatQuestion& question);  // "driver 535.104.05", "driver branch 535"
std::string CudaWords(const CompatQuestion& question);
std::string CudnnWords(const CompatQuestion& question);
std::string GpuWords(const CompatQuestion& question);
std::string CudaCompatWords(const CompatQuestion& question);  // "cuda-compat 12.4"

// Which half of a driver a question is about: the kernel's module drives the GPU, its libraries run CUDA. An
// installed cuda-compat package replaces the libraries.
enum class DriverHalf { kKernel, kLibraries };

// A bare branch means any of its drivers: asks about the oldest and the newest one in the tables.
knowledge::Answer OfDriver(const CompatQuestion& question, DriverHalf half,
                           const std::function<knowledge::Answer(const base::Version&)>& ask);
// Whether the cuda-compat package works on the driver and the GPU of the question.
knowledge::Answer CudaCompatFits(const CompatQuestion& question);

}  // namespace culprit::compat
