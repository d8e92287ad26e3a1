#include "knowledge/gpu_ids.h"

#include <algorithm>

namespace culprit::knowledge {

const GpuChip* FindGpuChip(uint32_t device_id) {
  const auto ranges = GpuIdRanges();
  const auto after = std::ranges::upper_bound(ranges, device_id, {}, &GpuIdRange::first);
  if (after == ranges.begin() || device_id > std::prev(after)->last) return nullptr;
  const auto chips = GpuChips();
  const auto chip = std::ranges::find(chips, std::prev(after)->chip, &GpuChip::name);
  return chip == chips.end() ? nullptr : &*chip;
}

}  // namespace culprit::knowledge
