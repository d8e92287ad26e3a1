// The collectors of a Windows machine: the same facts as in stack.h, from other places. stack.cc chooses.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collect/stack.h"

namespace culprit::collect {

snapshot::Fact<snapshot::Driver> CollectWindowsDriver(const Surroundings& around);
snapshot::Fact<std::vector<snapshot::Gpu>> CollectWindowsGpus(const Surroundings& around);
snapshot::Fact<std::vector<snapshot::PythonEnvironment>> CollectWindowsPython(const Surroundings& around);
snapshot::Fact<snapshot::Toolkits> CollectWindowsToolkits(
    const Surroundings& around, std::span<const snapshot::PythonEnvironment> environments);
snapshot::Fact<std::vector<snapshot::CudnnCopy>> CollectWindowsCudnn(
    const Surroundings& around, std::span<const snapshot::PythonEnvironment> environments);
snapshot::Fact<snapshot::Context> CollectWindowsContext(const Surroundings& around);

extern const CollectorInfo kWindowsDriverCollector, kWindowsGpusCollector, kWindowsPythonCollector,
    kWindowsToolkitsCollector, kWindowsCudnnCollector, kWindowsContextCollector, kWindowsFactsCollector;

// NVIDIA's number in the version of a driver file: the last five digits of 32.0.15.6094 are 560.94. "" when
// the text is no such version.
std::string NvidiaVersion(std::string_view file_version);

}  // namespace culprit::collect
