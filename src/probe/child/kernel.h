// A kernel with predictable results: word = word * factor + addend + its index.
#pragma once

#include <optional>
#include <string>

#include "probe/child/session.h"

namespace culprit::prober {

inline constexpr char kKernelName[] = "culprit_mix";
extern const char* const kKernelPtx;   // for any device from Maxwell on
extern const char* const kKernelCuda;  // the same for NVRTC

// Loads `image` (PTX or cubin) into the session's context, launches the kernel and checks the results.
// `load_ms`: how long the driver took to load it, including JIT compilation.
std::optional<Failure> RunKernel(Session& session, const void* image, double& load_ms);

}  // namespace culprit::prober
