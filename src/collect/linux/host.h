// --host driver=535.104.05,gpu=sm_90: a machine that is not here. What is said replaces what was looked at.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "snapshot/stack.h"

namespace culprit::collect {

struct Host {
  std::optional<std::string> driver;  // "535.104.05", "535"
  std::vector<std::string> gpus;      // compute capabilities: "9.0"
};

// Keys driver and gpu, the latter as sm_90, sm_90a, 9.0 or a product's name ("RTX 4090"), repeated for
// several GPUs; anything else is an error.
base::Result<Host> ParseHost(std::string_view text);

// A stack with that driver and those GPUs. A part that the host does not name stays as it is.
void Assume(const Host& host, snapshot::Stack& stack);

}  // namespace culprit::collect
