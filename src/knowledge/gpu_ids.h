// data/gpu_ids.toml: the chip behind a PCI device id of NVIDIA (vendor 10de), and its compute capability.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace culprit::knowledge {

struct GpuChip {
  std::string_view name;  // "GH100"
  std::string_view cc;    // "" = not established
  std::string_view source;
};
std::span<const GpuChip> GpuChips();

struct GpuIdRange {
  uint32_t first;
  uint32_t last;
  std::string_view chip;
  std::string_view source;
};
std::span<const GpuIdRange> GpuIdRanges();  // rising, apart from each other

// nullptr for an id that is in no range.
const GpuChip* FindGpuChip(uint32_t device_id);

}  // namespace culprit::knowledge
