// A simulated ldconfig: what it would change on a machine.
#pragma once

#include "base/error.h"
#include "binfmt/cache/ld_so_cache.h"
#include "system/changed.h"
#include "system/system.h"

namespace culprit::container {

// A new /etc/ld.so.cache, and the symlinks by sonames that it makes or removes. Linux only.
system::SystemChanges RunLdconfig(const system::System& machine);

// Only that cache, for code that reads the machine unchanged: it names the files that those symlinks point
// to.
base::Result<binfmt::LdCache> CacheAfterLdconfig(const system::System& machine);

}  // namespace culprit::container
