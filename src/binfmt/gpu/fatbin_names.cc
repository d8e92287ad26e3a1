// Names of targets, and counts by target.
#include <array>
#include <map>

#include "binfmt/gpu/fatbin.h"

namespace culprit::binfmt {
namespace {

constexpr std::array<std::string_view, 4> kPrefixes = {"sm_", "compute_", "lto_", "other_"};

template <typename Wanted>
GpuTotals Add(const GpuCode& code, Wanted wanted) {
  std::map<GpuTarget, uint64_t> totals;
  for (size_t i = 0; i < code.containers.size(); ++i) {
    const GpuCode::Containers& containers = code.containers[i];
    if (!wanted(i)) continue;
    for (GpuTarget target : containers.targets) {
      target.ptx_major = target.ptx_minor = 0;
      totals[target] += containers.count;
    }
  }
  return {totals.begin(), totals.end()};
}

}  // namespace

std::string GpuTarget::Name() const {
  std::string name(kPrefixes[static_cast<size_t>(kind)]);
  name += std::to_string(arch);
  if (suffix != 0) name += suffix;
  return name;
}

GpuTotals Totals(const GpuCode& code, GpuPart part) {
  const std::vector<GpuPart> parts = PartsOf(code);
  return Add(code, [&](size_t i) { return parts[i] == part; });
}

GpuTotals TotalsOfSection(const GpuCode& code, std::string_view section) {
  return Add(code, [&](size_t i) { return code.containers[i].section == section; });
}

}  // namespace culprit::binfmt
