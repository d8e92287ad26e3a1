// The machine that a plan would create, so that the rules of check can run on it: only a loader, a libc, a
// Python and an environment with the planned packages. The caller assumes driver and GPU (--host).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/platform.h"
#include "report/plan.h"
#include "system/system.h"

namespace culprit::whatif {

struct PlannedHost {
  base::Platform platform = base::Platform::kLinux;
  std::string cpu = "x86_64";  // or "aarch64"
  std::string glibc = "2.39";  // of a Linux whose own is not known
};

// Where the environment stands: "/planned", "/C:/planned".
std::string PlannedPrefix(base::Platform platform);

// Look at it with this prefix as the only environment and its host unseen. Fails with the reason where a
// package of the plan cannot be made (its name or version is in no table).
base::Result<std::shared_ptr<const system::System>> PlannedMachine(const PlannedHost& host,
                                                                   const report::Plan& plan);

}  // namespace culprit::whatif
