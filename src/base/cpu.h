// What determines the sub-directories and tokens in a loader's search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace culprit::base {

struct Cpu {
  std::string machine;   // as `uname -m` prints it: "x86_64", "aarch64" ...; "" if unknown
  std::string platform;  // glibc's dl_platform: AT_PLATFORM, or haswell/xeon_phi on such x86-64 CPUs
  std::vector<std::string>
      isa_levels;  // glibc-hwcaps that this CPU supports, best first: "x86-64-v3", "x86-64-v2"
  std::vector<std::string> legacy_caps;  // names of the legacy hwcap bits set, lowest bit first: "atomics"
  uint64_t page_size = 4096;
  bool operator==(const Cpu&) const = default;
};

}  // namespace culprit::base
