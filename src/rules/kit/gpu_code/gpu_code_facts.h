// Whether the GPU code of each framework and program runs on each GPU of the machine, for the rules CUL7xxx.
#pragma once

#include <string>
#include <vector>

#include "binfmt/gpu/fatbin.h"
#include "rules/rule.h"

namespace culprit::rules {

enum class Fit {
  kNative,     // matching machine code
  kJit,        // only PTX, which the driver compiles on first use
  kJitOff,     // only PTX would run, and a variable disables JIT; or one requires PTX, and there is none
  kPtxTooNew,  // only PTX would run, and it is newer than the driver
  kNone,       // nothing runs
  kUnknown,    // not everything could be checked
};

struct GpuFit {
  const snapshot::PythonEnvironment* environment = nullptr;  // of a framework
  const snapshot::Framework* framework = nullptr;            // nullptr: a file that a program loads
  const loader::Scenario* program = nullptr;                 // that program; nullptr for a framework
  const snapshot::Gpu* gpu = nullptr;
  std::string library;  // the file that was checked
  Fit fit = Fit::kUnknown;
  std::string has;            // "sm_75, sm_80, sm_90a, compute_90 (PTX 8.4)"
  std::string lowest;         // its lowest architecture, "sm_75"
  std::string ptx;            // newest PTX that this GPU could run, "8.7"; "" if none
  bool gpu_is_older = false;  // than all code in it
  std::string why;            // for kUnknown

  std::string Title() const;     // "torch 2.11.0+cu130 in /opt/venv", "/app/train"
  std::string Affected() const;  // the same, or the program that loads the file
};

// For main frameworks (torch, jax ...) and all that programs load; or for packages built on frameworks
// (xformers, flash-attn ...). Files without GPU code are skipped, and so are NVIDIA's libraries. GPUs of one
// capability count once. Tells `ruling` if there is no GPU, or if that is unknown.
enum class Role { kLeads, kBuiltOn };
std::vector<GpuFit> GpuFits(const Scene& scene, Role role, Ruling& ruling);

// "sm_90", with the GPU's name if known: "NVIDIA H100 (sm_90)".
std::string DisplayName(const snapshot::Gpu& gpu);
// A finding on one fit: "torch 2.4.1 in /opt/venv SAYS", with what it affects and the evidence.
report::Finding& Fire(Ruling& ruling, const GpuFit& fit, const std::string& says);
// The same in other words, on another subject than the checked file.
report::Finding& Fire(Ruling& ruling, const GpuFit& fit, std::string summary, std::string subject);
// The driver's version, real or assumed; "" if unknown.
std::string DriverVersion(const Scene& scene);

}  // namespace culprit::rules
