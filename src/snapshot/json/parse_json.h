// Untrusted text -> JSON, within limits: any text gives a value or one clear error line, without exceptions,
// deep recursion, quadratic time or excessive memory.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

namespace culprit::snapshot {

struct JsonLimits {
  size_t bytes = size_t{256} << 20;
  size_t values = 10'000'000;  // a value takes up to about a hundred bytes in memory
  size_t depth = 64;
};

base::Result<base::Json> ParseJson(std::string_view text, const JsonLimits& limits = {});

}  // namespace culprit::snapshot
