// A kernel whose every result can be foretold: word = word * factor + addend + its own place.
#pragma once

#include <optional>
#include <string>

#include "probe/child/session.h"

namespace culprit::prober {

inline constexpr char kKernelName[] = "culprit_mix";
extern const char* const kKernelPtx;   // for any device from Maxwell on
extern const char* const kKernelCuda;  // the same for NVRTC

// Loads `image` (PTX or cubin) into the context of the session, launches the kernel and checks what it wrote.
// `load_ms`: how long the driver took to load it, with its compiler.
std::optional<Failure> RunKernel(Session& session, const void* image, double& load_ms);

}  // namespace culprit::prober
