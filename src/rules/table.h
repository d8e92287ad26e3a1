// The rules by name, for the one table in table.cc.
#pragma once

#include "rules/rule.h"

namespace culprit::rules {

// Driver
extern const Rule kDriverMissing;
extern const Rule kDriverLibraryMissing;
extern const Rule kKernelModuleNotLoaded;
extern const Rule kModuleForAnotherKernel;
extern const Rule kNouveauHoldsGpu;
extern const Rule kGpuBoundElsewhere;
extern const Rule kDriverLibraryMismatch;
extern const Rule kNvmlLibraryMismatch;
extern const Rule kDriverUpdateStaged;
extern const Rule kStubLibcudaFirst;
extern const Rule kCompatLibcudaWrong;
extern const Rule kCompatLibcudaOnGeforce;
extern const Rule kDriverTooOld;
extern const Rule kGpuDroppedByDriver;
extern const Rule kGpuNewerThanDriver;
extern const Rule kUvmMissing;
extern const Rule kDeviceNodesMissing;
extern const Rule kDeviceNotPermitted;
extern const Rule kNvswitchFabricDown;
extern const Rule kSecureBootBlocksModule;
extern const Rule kSeveralDriverVersions;
extern const Rule kPtxJitLibraryMissing;
extern const Rule kEmptyLibcuda;
extern const Rule kLibcudaLinkMissing;
extern const Rule kGpuAbsent;
extern const Rule kLibcudaNotSearched;

// Visibility, containers, circumstances
extern const Rule kCudaVisibleDevicesHidesAll;
extern const Rule kCudaVisibleDevicesInvalid;
extern const Rule kNvidiaVisibleDevicesHides;
extern const Rule kContainerWithoutGpu;
extern const Rule kContainerCapabilitiesLackCompute;
extern const Rule kContainerRequirementUnmet;
extern const Rule kMigWithoutInstance;
extern const Rule kWslLinuxDriver;
extern const Rule kWslWithoutDriver;
extern const Rule kWslUnversionedLibcuda;
extern const Rule kSlurmWithoutGpu;

// cuDNN
extern const Rule kCudnnMissing;
extern const Rule kCudnnOtherMajor;
extern const Rule kCudnnIncomplete;
extern const Rule kCudnnMixedVersions;
extern const Rule kCudnnForAnotherCuda;
extern const Rule kCudnnOlderThanCompiled;
extern const Rule kCudnnNotSearched;
extern const Rule kCudnnHeaderMismatch;
extern const Rule kCudnnLinkBroken;
extern const Rule kCudnnFileInsteadOfLink;
extern const Rule kCudnnPartFromElsewhere;
extern const Rule kCudnnDroppedGpu;
extern const Rule kCudnnNeedsUnversionedLibrary;
extern const Rule kCudnnSecondCopy;
extern const Rule kCudnnFunctionMissing;
extern const Rule kCudnnDllAlone;
extern const Rule kCudnnDllRenamed;

// CUDA libraries and toolkits
extern const Rule kToolkitMissing;
extern const Rule kCudaHomeWrong;
extern const Rule kCudaHomeIsAList;
extern const Rule kSeveralToolkits;
extern const Rule kNvccDiffersFromCudaHome;
extern const Rule kCudaLibraryMissing;
extern const Rule kCudaLibraryNotSearched;
extern const Rule kCudaLibraryOtherMajor;
extern const Rule kCudaMixedVersions;
extern const Rule kTwoCudartMajors;
extern const Rule kNvrtcBuiltinsMissing;

// What the loader stumbles over
extern const Rule kBrokenSonameLink;
extern const Rule kLinkLoop;
extern const Rule kStaleLdSoCache;
extern const Rule kTruncatedLibrary;
extern const Rule kEmptyLibrary;
extern const Rule kNotALibrary;
extern const Rule kWrongBits;
extern const Rule kWrongCpu;
extern const Rule kGlibcTooOld;
extern const Rule kLibstdcxxShadowed;
extern const Rule kCudaSymbolVersionMissing;
extern const Rule kExecutableStack;
extern const Rule kLdLibraryPathDeadElement;
extern const Rule kLdLibraryPathStubs;
extern const Rule kLdPreloadBroken;
extern const Rule kLibraryNotReadable;
extern const Rule kDependentMissing;
extern const Rule kProgramCannotStart;
extern const Rule kLdLibraryPathCurrentDirectory;
extern const Rule kCudaFunctionMissing;
extern const Rule kZlibwapiMissing;
extern const Rule kVcRuntimeMissing;
extern const Rule kVcRuntimeOld;
extern const Rule kPathOfNewShell;
extern const Rule kPythonIgnoresPath;
extern const Rule kOtherBitnessFirst;
extern const Rule kPathOrder;
extern const Rule kDllPathTooLong;
extern const Rule kMappedFileReplaced;
extern const Rule kLibraryMappedTwice;

// Frameworks and Python packages
extern const Rule kFrameworkCpuOnly;
extern const Rule kFrameworkImportFails;
extern const Rule kTorchCompanionMismatch;
extern const Rule kJaxJaxlibMismatch;
extern const Rule kJaxPluginMismatch;
extern const Rule kOnnxruntimeTwice;
extern const Rule kPinBroken;
extern const Rule kCudaMajorPackagesMixed;
extern const Rule kCudaPackagesOtherThanFramework;
extern const Rule kJaxWithoutCudaPlugin;
extern const Rule kTensorflowWithoutCudaPackages;
extern const Rule kOnnxruntimeNeedsPreload;
extern const Rule kCupyTwice;
extern const Rule kPackageFilesChanged;
extern const Rule kUserSiteShadows;
extern const Rule kFrameworkInstalledTwice;
extern const Rule kBitsandbytesWithoutCudaBinary;
extern const Rule kTensorrtPartsMismatch;
extern const Rule kCtranslate2WithoutCublas;
extern const Rule kTensorflowCpuOnWindows;
extern const Rule kPython32Bit;
extern const Rule kBracketsInPath;

// GPU code against this GPU
extern const Rule kGpuTooNewForBuild;
extern const Rule kGpuTooOldForBuild;
extern const Rule kPtxNewerThanDriver;
extern const Rule kJitDisabled;
extern const Rule kRunsByJitOnly;
extern const Rule kCompanionWithoutGpuCode;

// Building
extern const Rule kNvccCannotTargetGpu;
extern const Rule kHostCompilerTooNew;
extern const Rule kCudaHeaderMismatch;
extern const Rule kCudnnHeaderMissing;

// Live: what a probe saw
extern const Rule kGpuMemoryExhausted;
extern const Rule kComputeModeForbids;
extern const Rule kCudaHidesDevices;
extern const Rule kCudaDoesNotStart;
extern const Rule kCudnnLoadedMixed;
extern const Rule kCudnnPartNotLoaded;
extern const Rule kNoGpuCodeAtRun;
extern const Rule kPtxRefusedByDriver;
extern const Rule kWrongResultOnGpu;
extern const Rule kLibraryCrashes;
extern const Rule kLibraryHangs;
extern const Rule kEccErrors;
extern const Rule kFrameworkCannotUseGpu;
extern const Rule kCudaProgramNotBuilt;
extern const Rule kBuiltProgramDoesNotRun;
extern const Rule kLibraryDoesNotLoad;
extern const Rule kProbeStepFails;

}  // namespace culprit::rules
