// --host driver=535.104.05,gpu=sm_90: assumes another host. These values replace what was collected.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "snapshot/stack.h"

namespace culprit::collect {

struct HostGpu {
  std::string capability;  // "8.9"
  std::string name{};      // as it was said: "RTX 4090"; "" if only the capability was
};
struct Host {
  std::optional<std::string> driver;  // "535.104.05", "535"
  std::vector<HostGpu> gpus;
};

// Keys driver and gpu, the latter as sm_90, sm_90a, 9.0 or a product's name ("RTX 4090"), for several GPUs
// repeated or with commas ("gpu=H100,B200"); anything else is an error.
base::Result<Host> ParseHost(std::string_view text);

// The stack with that driver and those GPUs. What --host does not name stays as it is.
void Assume(const Host& host, snapshot::Stack& stack);

}  // namespace culprit::collect
