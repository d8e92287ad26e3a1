// CUDA_VISIBLE_DEVICES as CUDA reads it: a list that ends at the first entry that is not a device. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culprit::knowledge {

// One GPU, in CUDA's order, with everything that can identify it.
struct NamedDevice {
  std::string uuid;  // "GPU-..."; "" = unknown
};

struct VisibleDevices {
  std::vector<std::string> entries;  // the valid ones, as written
  std::string rejected;              // the entry that ends the list; "" if none does
  std::string why;                   // the reason: "is not a device number" ...
  bool repeated = false;             // a repeated entry makes the whole list empty
  bool unsure = false;               // entries that only the driver can judge (MIG ids, unknown UUIDs)
};

// `devices` may be empty if unknown; then only the syntax of the entries is checked.
VisibleDevices ParseVisibleDevices(std::string_view value, const std::vector<NamedDevice>& devices);

}  // namespace culprit::knowledge
