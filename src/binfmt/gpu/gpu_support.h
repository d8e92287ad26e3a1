// Can a GPU run the GPU code of a file? Each container is judged by itself, because the driver chooses within
// one container and never across. Libraries put architecture-specific code into separate containers (cuBLAS,
// cuDNN, kernels for sm_90a). So a container with nothing for a GPU is not a failure; a file without any
// suitable container is.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "binfmt/gpu/fatbin.h"

namespace culprit::binfmt {

struct GpuDevice {  // compute capability
  uint32_t major = 0, minor = 0;
};

struct PtxVersion {
  uint16_t major = 0, minor = 0;
  auto operator<=>(const PtxVersion&) const = default;
};

struct GpuSupport {
  enum class Verdict {
    kNoCode,   // the file has none
    kAll,      // every container has code for the device
    kSome,     // some do, some do not: normal for libraries
    kNone,     // no container does
    kUnknown,  // nothing found that runs, but not everything could be judged or read
  };
  Verdict verdict = Verdict::kNoCode;
  // Containers by the best code they have for the device. Not counted: empty containers, and relocatable code
  // next to linked code, which makes up for what the linked code lacks.
  uint64_t native = 0;     // suitable machine code
  uint64_t jit = 0;        // PTX that the driver compiles on first use
  uint64_t link = 0;       // only LTO-IR: the library links it at run time with nvJitLink
  uint64_t none = 0;       // nothing
  uint64_t uncertain = 0;  // something that may or may not run; `reason` says why
  uint64_t containers() const { return native + jit + link + none + uncertain; }
  // Why the first container that is `none` or `uncertain` is that, in one line; "" if there is no such
  // container.
  std::string reason;
};

// `newest_ptx` is the newest PTX ISA that the driver compiles; nullopt if unknown. `jit_allowed` is false if
// the process disables it (CUDA_DISABLE_PTX_JIT=1).
GpuSupport Judge(const GpuCode& code, GpuDevice device, std::optional<PtxVersion> newest_ptx,
                 bool jit_allowed);

}  // namespace culprit::binfmt
