// The .rsrc section of a PE file written by pe/write.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "binfmt/pe/pe.h"

namespace culprit::binfmt {

// Empty if there is neither. `rva` is the address of the section.
std::string BuildResources(uint32_t rva, const std::optional<PeVersionInfo>& version,
                           const std::optional<std::string>& manifest);

// VS_VERSIONINFO.
std::string BuildVersionInfo(const PeVersionInfo& version);

}  // namespace culprit::binfmt
