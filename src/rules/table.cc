#include "rules/table.h"

#include <array>

namespace culprit::rules {

std::span<const Rule* const> AllRules() {
  static constexpr std::array table = {
      // cuDNN
      &kCudnnMixedVersions,
      // frameworks and Python packages
      &kFrameworkCpuOnly,
      &kFrameworkImportFails,
      &kTorchCompanionMismatch,
      &kJaxJaxlibMismatch,
      &kJaxPluginMismatch,
      &kOnnxruntimeTwice,
      &kPinBroken,
      &kCudaMajorPackagesMixed,
      &kCudaPackagesOtherThanFramework,
      &kJaxWithoutCudaPlugin,
      &kTensorflowWithoutCudaPackages,
      &kOnnxruntimeNeedsPreload,
      &kCupyTwice,
      &kPackageFilesChanged,
      &kUserSiteShadows,
      &kFrameworkInstalledTwice,
      &kBitsandbytesWithoutCudaBinary,
      &kTensorrtPartsMismatch,
  };
  return table;
}

}  // namespace culprit::rules
