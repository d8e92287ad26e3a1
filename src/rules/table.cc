#include "rules/table.h"

#include <array>

namespace culprit::rules {

std::span<const Rule* const> AllRules() {
  static constexpr std::array table = {
      // cuDNN
      &kCudnnMissing,
      &kCudnnOtherMajor,
      &kCudnnIncomplete,
      &kCudnnMixedVersions,
      &kCudnnForAnotherCuda,
      &kCudnnOlderThanCompiled,
      &kCudnnNotSearched,
      &kCudnnHeaderMismatch,
      &kCudnnLinkBroken,
      &kCudnnFileInsteadOfLink,
      &kCudnnPartFromElsewhere,
      &kCudnnNeedsUnversionedLibrary,
      &kCudnnSecondCopy,
      // CUDA libraries and toolkits
      &kToolkitMissing,
      &kCudaHomeWrong,
      &kCudaHomeIsAList,
      &kSeveralToolkits,
      &kNvccDiffersFromCudaHome,
      &kCudaLibraryMissing,
      &kCudaLibraryNotSearched,
      &kCudaLibraryOtherMajor,
      &kCudaMixedVersions,
      &kTwoCudartMajors,
      &kNvrtcBuiltinsMissing,
      // What the loader stumbles over
      &kBrokenSonameLink,
      &kLinkLoop,
      &kStaleLdSoCache,
      &kTruncatedLibrary,
      &kEmptyLibrary,
      &kNotALibrary,
      &kWrongBits,
      &kWrongCpu,
      &kGlibcTooOld,
      &kLibstdcxxShadowed,
      &kCudaSymbolVersionMissing,
      &kExecutableStack,
      &kLdLibraryPathDeadElement,
      &kLdLibraryPathStubs,
      &kLdPreloadBroken,
      &kLibraryNotReadable,
      &kDependentMissing,
      &kProgramCannotStart,
      &kLdLibraryPathCurrentDirectory,
      // Frameworks and Python packages
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
      &kCtranslate2WithoutCublas,
      // GPU code against the GPU
      &kGpuTooNewForBuild,
      &kGpuTooOldForBuild,
      &kPtxNewerThanDriver,
      &kJitDisabled,
      &kRunsByJitOnly,
      &kCompanionWithoutGpuCode,
      // Building
      &kCudaHeaderMismatch,
      &kCudnnHeaderMissing,
  };
  return table;
}

}  // namespace culprit::rules
