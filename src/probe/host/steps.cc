#include "probe/host/steps.h"

#include <algorithm>
#include <array>

namespace culprit::probe {

std::span<const StepKind> AllSteps() {
  static constexpr std::array steps = {
      StepKind{"driver", "libcuda", "the driver's library is found and loaded", ""},
      StepKind{"driver", "nvml", "NVML works", ""},
      StepKind{"driver", "init", "CUDA starts", "libcuda"},
      StepKind{"driver", "devices", "the devices", "init"},
      StepKind{"driver", "context", "a context on the device", "devices"},
      StepKind{"driver", "memory", "memory is allocated and freed", "context"},
      StepKind{"driver", "copy", "copies to the device and back", "memory"},
      StepKind{"driver", "kernel", "a kernel from PTX, compiled by the driver", "memory"},
      StepKind{"driver", "peer", "copies between two devices", "copy"},
      StepKind{"runtime", "cudart", "the CUDA runtime", ""},
      StepKind{"runtime", "nvrtc", "a kernel compiled by NVRTC", ""},
      StepKind{"runtime", "cublas", "a matrix product with cuBLAS", ""},
      StepKind{"runtime", "cublaslt", "a matrix product with cuBLASLt", ""},
      StepKind{"cudnn", "cudnn-load", "cuDNN is loaded", ""},
      StepKind{"cudnn", "cudnn-create", "a cuDNN handle", "cudnn-load"},
      StepKind{"cudnn", "cudnn-parts", "all cuDNN sub-libraries have the same version", "cudnn-load"},
      StepKind{"cudnn", "cudnn-convolution", "a convolution, compared with the CPU", "cudnn-create"},
      StepKind{"cudnn", "cudnn-algorithms", "every convolution algorithm, forward and backward",
               "cudnn-create", true},
      StepKind{"framework", "import", "the framework is imported", ""},
      StepKind{"framework", "framework-devices", "the devices it sees", "import"},
      StepKind{"framework", "framework-convolution", "a convolution in the framework", "framework-devices"},
      StepKind{"compile", "compile-cuda", "a CUDA program is compiled", ""},
      StepKind{"compile", "link-cuda", "and linked", "compile-cuda"},
      StepKind{"compile", "run-cuda", "and runs", "link-cuda"},
      StepKind{"compile", "compile-cudnn", "a cuDNN program is compiled", ""},
      StepKind{"compile", "link-cudnn", "and linked", "compile-cudnn"},
      StepKind{"compile", "run-cudnn", "and runs", "link-cudnn"},
  };
  return steps;
}

const StepKind* FindStep(std::string_view name) {
  const auto found = std::ranges::find(AllSteps(), name, &StepKind::name);
  return found == AllSteps().end() ? nullptr : &*found;
}

}  // namespace culprit::probe
