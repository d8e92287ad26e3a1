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
extern const Rule kFabricManagerNotRunning;
extern const Rule kSecureBootBlocksModule;
extern const Rule kSeveralDriverVersions;
extern const Rule kPtxJitLibraryMissing;
extern const Rule kEmptyLibcuda;
extern const Rule kLibcudaLinkMissing;
extern const Rule kGpuAbsent;
extern const Rule kLibcudaNotSearched;

// Visibility, containers, WSL
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
extern const Rule kCudnnMixedVersions;

}  // namespace culprit::rules
