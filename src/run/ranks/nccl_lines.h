// What a program that uses NCCL says about it in its output: lines of NCCL_DEBUG=INFO, and of PyTorch's
// watchdog. Facts for comparing ranks; explain decides what they mean for a failure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/ranks.h"

namespace culprit::ranks {

// What a rank was waiting in, as it stands in its record.
struct Wait {
  report::WaitKind kind = report::WaitKind::kTimedOut;
  std::string what;
  uint64_t sequence = 0;
  std::string group;
  uint64_t milliseconds = 0;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit.Always("kind", self.kind);
    visit("what", self.what);
    visit("sequence", self.sequence);
    visit("group", self.group);
    visit("milliseconds", self.milliseconds);
  }
  auto operator<=>(const Wait&) const = default;
};

struct NcclLines {
  std::string version;             // "2.21.5+cuda12.4"
  std::string network;             // "IB", "Socket"
  std::vector<std::string> buses;  // of the GPUs that it used: "18000"; each once
  std::vector<Wait> waits;         // collectives that timed out, then the last one that began
};

NcclLines ReadNcclLines(std::string_view output);

}  // namespace culprit::ranks
