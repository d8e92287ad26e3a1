#include "rules/table.h"

#include <array>

namespace culprit::rules {

std::span<const Rule* const> AllRules() {
  static constexpr std::array table = {
      // Driver
      &kDriverMissing,
      &kDriverLibraryMissing,
      &kKernelModuleNotLoaded,
      &kModuleForAnotherKernel,
      &kNouveauHoldsGpu,
      &kGpuBoundElsewhere,
      &kDriverLibraryMismatch,
      &kNvmlLibraryMismatch,
      &kDriverUpdateStaged,
      &kStubLibcudaFirst,
      &kCompatLibcudaWrong,
      &kCompatLibcudaOnGeforce,
      &kDriverTooOld,
      &kGpuDroppedByDriver,
      &kGpuNewerThanDriver,
      &kUvmMissing,
      &kDeviceNodesMissing,
      &kDeviceNotPermitted,
      &kFabricManagerNotRunning,
      &kSecureBootBlocksModule,
      &kSeveralDriverVersions,
      &kPtxJitLibraryMissing,
      &kEmptyLibcuda,
      &kLibcudaLinkMissing,
      &kGpuAbsent,
      &kLibcudaNotSearched,
      // cuDNN
      &kCudnnMixedVersions,
  };
  return table;
}

}  // namespace culprit::rules
