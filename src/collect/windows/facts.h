// What else determines loading on Windows (snapshot/windows.h), from the Windows directory and the registry,
// and the copies of the Visual C++ runtime.
#pragma once

#include <span>
#include <string>

#include "collect/environment.h"
#include "collect/stack.h"
#include "system/system.h"

namespace culprit::collect {

// A value on a machine with Windows, not applicable on any other. `variables` as EnvironmentOf gives them.
// Its `runtime` is that of System32, the Windows directory and PATH.
snapshot::Fact<snapshot::WindowsFacts> CollectWindows(const system::System& system,
                                                      const Variables& variables,
                                                      const std::string& working_directory);

// The same with the runtimes that Python environments and the given programs bundle.
snapshot::Fact<snapshot::WindowsFacts> CollectWindows(
    const Surroundings& around, std::span<const snapshot::PythonEnvironment> environments);

// The CPU that programs of this Windows run on: that of kernel32.dll. Where no such file tells, x86-64 with
// nothing more than every such CPU has.
base::Cpu WindowsCpu(const system::System& system, const snapshot::WindowsFacts& facts);

}  // namespace culprit::collect
