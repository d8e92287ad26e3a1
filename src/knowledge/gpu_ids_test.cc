// Known cards by their PCI ids, and the invariants of the table. tests/harvest_test.py compares it with
// pci.ids.
#include "knowledge/gpu_ids.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "knowledge/arch.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

std::string_view Chip(uint32_t id) {
  const GpuChip* chip = FindGpuChip(id);
  return chip == nullptr ? "" : chip->name;
}

TEST(GpuIds, KnowsCards) {
  EXPECT_EQ(Chip(0x2330), "GH100");           // H100 80GB HBM3
  EXPECT_EQ(Chip(0x2335), "GH100");           // H200
  EXPECT_EQ(Chip(0x2684), "AD102");           // RTX 4090
  EXPECT_EQ(Chip(0x1b06), "GP102");           // GTX 1080 Ti
  EXPECT_EQ(Chip(0x2b85), "GB202");           // RTX 5090
  EXPECT_EQ(Chip(0x2901), "GB100");           // B200
  EXPECT_EQ(Chip(0x20b0), "GA100");           // A100
  EXPECT_EQ(FindGpuChip(0x1eb8)->cc, "7.5");  // T4
}

TEST(GpuIds, WhatIsInNoRangeIsUnknown) {
  EXPECT_EQ(FindGpuChip(0), nullptr);
  EXPECT_EQ(FindGpuChip(0xffff), nullptr);
  EXPECT_EQ(FindGpuChip(0x0191), nullptr);  // before Fermi
}

TEST(GpuIdTables, RangesRiseAndDoNotMeet) {
  uint32_t last = 0;
  for (const GpuIdRange& range : GpuIdRanges()) {
    EXPECT_GT(range.first, last) << std::hex << range.first;
    EXPECT_LE(range.first, range.last) << std::hex << range.first;
    EXPECT_LE(range.last, 0xffffu);
    last = range.last;
  }
}

TEST(GpuIdTables, ChipsAndCapabilitiesAreKnown) {
  for (const GpuIdRange& range : GpuIdRanges()) {
    EXPECT_NE(std::ranges::find(GpuChips(), range.chip, &GpuChip::name), GpuChips().end()) << range.chip;
  }
  for (const GpuChip& chip : GpuChips()) {
    if (!chip.cc.empty()) {
      EXPECT_NE(FindCapability(Known(chip.cc)), nullptr) << chip.name;
    }
  }
}

}  // namespace
}  // namespace culprit::knowledge
