// data/gpu_ids.toml: PCI device ids of NVIDIA (vendor 10de) -> chip -> compute capability.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace culprit::knowledge {

struct GpuChip {
  std::string_view name;  // "GH100"
  std::string_view cc;    // "" = unknown
  std::string_view source;
};
std::span<const GpuChip> GpuChips();

struct GpuIdRange {
  uint32_t first;
  uint32_t last;
  std::string_view chip;
  std::string_view source;
};
std::span<const GpuIdRange> GpuIdRanges();  // ascending, without overlap

// nullptr if no range contains the id.
const GpuChip* FindGpuChip(uint32_t device_id);

}  // namespace culprit::knowledge
