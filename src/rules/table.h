// The rules by name, for the one table in table.cc.
#pragma once

#include "rules/rule.h"

namespace culprit::rules {

// cuDNN
extern const Rule kCudnnMixedVersions;

// Frameworks and Python packages
extern const Rule kFrameworkCpuOnly, kFrameworkImportFails, kTorchCompanionMismatch, kJaxJaxlibMismatch,
    kJaxPluginMismatch, kOnnxruntimeTwice, kPinBroken, kCudaMajorPackagesMixed,
    kCudaPackagesOtherThanFramework, kJaxWithoutCudaPlugin, kTensorflowWithoutCudaPackages,
    kOnnxruntimeNeedsPreload, kCupyTwice, kPackageFilesChanged, kUserSiteShadows, kFrameworkInstalledTwice,
    kBitsandbytesWithoutCudaBinary, kTensorrtPartsMismatch;

}  // namespace culprit::rules
