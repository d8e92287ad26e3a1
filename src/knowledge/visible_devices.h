// CUDA_VISIBLE_DEVICES as CUDA reads it: a list that ends at the first entry that is not a device. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culprit::knowledge {

// One GPU in the order in which CUDA counts, by what can name it.
struct NamedDevice {
  std::string uuid;  // "GPU-..."; "" not known
};

struct VisibleDevices {
  std::vector<std::string> entries;  // that count, as written
  std::string rejected;              // the entry that ends the list, "" when none does
  std::string why;                   // why it does: "is no device", "comes twice" ...
  bool repeated = false;             // a repeated entry makes the whole list empty
  bool unsure = false;  // entries that only the driver can judge (MIG ids, UUIDs that are not known)
};

// `devices` may be empty when they are not known; then only the form of the entries is judged.
VisibleDevices ParseVisibleDevices(std::string_view value, const std::vector<NamedDevice>& devices);

}  // namespace culprit::knowledge
