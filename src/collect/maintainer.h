// Facts that only a maintainer needs, and no rule: processor, memory, and full versions of the build tools.
// Collected for a bug report, and not part of a snapshot.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "snapshot/snapshot.h"
#include "system/system.h"

namespace culprit::collect {

struct MaintainerFacts {
  std::string processor;    // "Intel(R) Xeon(R) Platinum 8480C"; "" not known, as all of these
  size_t processors = 0;    // logical ones
  uint64_t memory_kib = 0;  // physical
  std::map<std::string, std::string> nvcc_builds;  // by the path that Toolkit::nvcc has
  std::vector<snapshot::Compiler> tools;           // gcc, clang and cmake of PATH, one per file
  std::map<std::string, std::string> pythons;      // "3.11.7", by the prefix of the environment
};

// Reads files only, but many MB of them: limit the time.
MaintainerFacts LookForMaintainer(const system::System& system, const snapshot::Snapshot& snapshot);

}  // namespace culprit::collect
