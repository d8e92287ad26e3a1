#include "probe/host/steps.h"

#include <array>

namespace culprit::probe {

std::span<const StepKind> AllSteps() {
  static constexpr std::array steps = {
      StepKind{StepName::kLibcuda, "the driver's library is found and loaded"},
      StepKind{StepName::kNvml, "NVML works"},
      StepKind{StepName::kInit, "CUDA starts", StepName::kLibcuda},
      StepKind{StepName::kDevices, "the devices", StepName::kInit},
      StepKind{StepName::kContext, "a context on the device", StepName::kDevices},
      StepKind{StepName::kMemory, "memory is allocated and freed", StepName::kContext},
      StepKind{StepName::kCopy, "copies to the device and back", StepName::kMemory},
      StepKind{StepName::kKernel, "a kernel from PTX, compiled by the driver", StepName::kMemory},
      StepKind{StepName::kPeer, "copies between two devices", StepName::kCopy},
      StepKind{StepName::kCudart, "the CUDA runtime"},
      StepKind{StepName::kNvrtc, "a kernel compiled by NVRTC"},
      StepKind{StepName::kCublas, "a matrix product with cuBLAS"},
      StepKind{StepName::kCublasLt, "a matrix product with cuBLASLt"},
      StepKind{StepName::kCudnnLoad, "cuDNN is loaded"},
      StepKind{StepName::kCudnnCreate, "a cuDNN handle", StepName::kCudnnLoad},
      StepKind{StepName::kCudnnParts, "all cuDNN sub-libraries have the same version", StepName::kCudnnLoad},
      StepKind{StepName::kCudnnConvolution, "a convolution, compared with the CPU", StepName::kCudnnCreate},
      StepKind{StepName::kCudnnAlgorithms, "every convolution algorithm, forward and backward",
               StepName::kCudnnCreate, true},
      StepKind{StepName::kImport, "the framework is imported"},
      StepKind{StepName::kFrameworkDevices, "the devices it sees", StepName::kImport},
      StepKind{StepName::kFrameworkConvolution, "a convolution in the framework",
               StepName::kFrameworkDevices},
      StepKind{StepName::kCompileCuda, "a CUDA program is compiled"},
      StepKind{StepName::kLinkCuda, "and linked", StepName::kCompileCuda},
      StepKind{StepName::kRunCuda, "and runs", StepName::kLinkCuda},
      StepKind{StepName::kCompileCudnn, "a cuDNN program is compiled"},
      StepKind{StepName::kLinkCudnn, "and linked", StepName::kCompileCudnn},
      StepKind{StepName::kRunCudnn, "and runs", StepName::kLinkCudnn},
  };
  static_assert(steps.size() + 1 == WordsOf(StepName::kNone).size());
  return steps;
}

const StepKind& KindOf(StepName name) { return AllSteps()[static_cast<size_t>(name) - 1]; }

}  // namespace culprit::probe
