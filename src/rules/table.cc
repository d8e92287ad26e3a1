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
      // Visibility, containers, WSL
      &kCudaVisibleDevicesHidesAll,
      &kCudaVisibleDevicesInvalid,
      &kNvidiaVisibleDevicesHides,
      &kContainerWithoutGpu,
      &kContainerCapabilitiesLackCompute,
      &kContainerRequirementUnmet,
      &kMigWithoutInstance,
      &kWslLinuxDriver,
      &kWslWithoutDriver,
      &kWslUnversionedLibcuda,
      &kSlurmWithoutGpu,
      // cuDNN
      &kCudnnMixedVersions,
  };
  return table;
}

}  // namespace culprit::rules
