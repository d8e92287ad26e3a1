// Names of targets, forms and kinds, and counts by name.
#include <algorithm>
#include <array>
#include <map>

#include "binfmt/gpu/fatbin.h"

namespace culprit::binfmt {
namespace {

constexpr std::array<std::pair<GpuCode::Form, std::string_view>, 5> kForms = {{
    {GpuCode::Form::kNotGpu, "not-gpu"},
    {GpuCode::Form::kElf, "elf"},
    {GpuCode::Form::kPe, "pe"},
    {GpuCode::Form::kFatbin, "fatbin"},
    {GpuCode::Form::kCubin, "cubin"},
}};

struct KindNames {
  GpuTarget::Kind kind;
  std::string_view name, prefix;
};
constexpr std::array<KindNames, 4> kKinds = {{
    {GpuTarget::Kind::kSass, "sass", "sm_"},
    {GpuTarget::Kind::kPtx, "ptx", "compute_"},
    {GpuTarget::Kind::kLtoIr, "lto_ir", "lto_"},
    {GpuTarget::Kind::kOther, "other", "other_"},
}};

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

std::string_view Name(GpuCode::Form form) {
  return std::ranges::find(kForms, form, &std::pair<GpuCode::Form, std::string_view>::first)->second;
}

GpuCode::Form GpuCodeFormFromName(std::string_view name) {
  const auto row = std::ranges::find(kForms, name, &std::pair<GpuCode::Form, std::string_view>::second);
  return row == kForms.end() ? GpuCode::Form::kNotGpu : row->first;
}

std::string_view Name(GpuTarget::Kind kind) {
  return std::ranges::find(kKinds, kind, &KindNames::kind)->name;
}

GpuTarget::Kind GpuTargetKindFromName(std::string_view name) {
  const auto row = std::ranges::find(kKinds, name, &KindNames::name);
  return row == kKinds.end() ? GpuTarget::Kind::kOther : row->kind;
}

std::string GpuTarget::Name() const {
  std::string name(std::ranges::find(kKinds, kind, &KindNames::kind)->prefix);
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
