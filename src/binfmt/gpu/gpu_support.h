// Does a GPU run the GPU code of a file? A judgement over containers, each by itself, because the driver
// chooses inside one container and never across. Libraries put code that only some architectures have into
// containers of its own (cuBLAS, cuDNN, kernels for sm_90a), so a container with nothing for a GPU is no
// failure; a file in which no container has anything for it is.
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
    kSome,     // some have, some have not: normal for libraries
    kNone,     // no container has
    kUnknown,  // nothing was found that runs, but not everything could be judged or read
  };
  Verdict verdict = Verdict::kNoCode;
  // Containers by the best that they hold for the device; those that only link (relocatable code beside the
  // linked one) and empty ones are not counted.
  uint64_t native = 0;     // machine code that fits
  uint64_t jit = 0;        // PTX that the driver compiles when it is first used
  uint64_t link = 0;       // LTO-IR alone: the library links it at run time with nvJitLink
  uint64_t none = 0;       // nothing
  uint64_t uncertain = 0;  // something that may or may not run; `reason` says why
  uint64_t containers() const { return native + jit + link + none + uncertain; }
  // Why the first container that is `none` or `uncertain` is that, one line; "" when there is none such.
  std::string reason;
};

// `newest_ptx` is the newest PTX ISA that the driver compiles, nullopt when that is not known. `jit_allowed`
// is false where the process forbids it (CUDA_DISABLE_PTX_JIT=1).
GpuSupport Judge(const GpuCode& code, GpuDevice device, std::optional<PtxVersion> newest_ptx,
                 bool jit_allowed);

}  // namespace culprit::binfmt
