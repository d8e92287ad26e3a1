// Whether the GPU code of each framework runs on each GPU of the machine: asked once, read by the rules
// CUL7xxx.
#pragma once

#include <string>
#include <vector>

#include "binfmt/gpu/fatbin.h"
#include "rules/rule.h"

namespace culprit::rules {

enum class Fit {
  kNative,  // machine code that fits
  kJit,     // only PTX, which the driver compiles at first use
  kJitOff,  // only PTX would run, and a variable forbids compiling it; or one demands PTX, and there is none
  kPtxTooNew,  // only PTX would run, and it is newer than the driver
  kNone,       // nothing runs
  kUnknown,    // not everything could be judged
};

struct GpuFit {
  const snapshot::PythonEnvironment* environment;
  const snapshot::Framework* framework;
  const snapshot::Gpu* gpu;
  std::string library;  // the file that was judged
  Fit fit = Fit::kUnknown;
  std::string has;     // "sm_75, sm_80, sm_90a, compute_90 (PTX 8.4)"
  std::string lowest;  // lowest architecture of it, "sm_75"
  std::string ptx;     // newest PTX that this GPU could run, "8.7"; "" none
  bool gpu_is_older;   // than everything in it
  std::string why;     // for kUnknown
};

// For frameworks that lead (torch, jax ...) or for what is built on them (xformers, flash-attn ...). Files
// without GPU code give nothing. GPUs of one capability count once. Tells `ruling` when there is no GPU, or
// when it is not known whether there is one.
enum class Role { kLeads, kBuiltOn };
std::vector<GpuFit> GpuFits(const Scene& scene, Role role, Ruling& ruling);

// "sm_90" of a GPU, with its name where that is known: "NVIDIA H100 (sm_90)".
std::string DisplayName(const snapshot::Gpu& gpu);
// Completes a finding on one fit: whom it hits, and the facts.
void Explain(const GpuFit& fit, report::Finding& finding);
// The driver's version as known or assumed; "" when it is not known.
std::string DriverVersion(const Scene& scene);

}  // namespace culprit::rules
