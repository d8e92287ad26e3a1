// Foreign text -> JSON, with bounds: whatever the text is, it ends in a value or one clear line, without an
// exception, deep recursion, quadratic time or memory out of proportion.
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
