// A load during which the loader itself was killed: how that stands in Request::error.
#pragma once

#include <string>

#include "snapshot/record/run.h"

namespace culprit::record {

inline constexpr std::string_view kKilledLoader = ": the loader was killed by ";

inline std::string KilledLoader(const std::string& path, const std::string& signal) {
  return path + std::string(kKilledLoader) + signal + " while it opened this file";
}

inline bool KilledLoader(const Request& request) {
  return request.error.find(kKilledLoader) != std::string::npos;
}

}  // namespace culprit::record
