// The .rsrc section of a PE file that write_pe.h writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

// Empty when there is neither. `rva` is where the section will lie.
std::string BuildResources(uint32_t rva, const std::optional<PeVersionInfo>& version,
                           const std::optional<std::string>& manifest);

// VS_VERSIONINFO.
std::string BuildVersionInfo(const PeVersionInfo& version);

}  // namespace culprit::binfmt
