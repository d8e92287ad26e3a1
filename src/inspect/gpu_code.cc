#include "inspect/gpu_code.h"

#include <algorithm>
#include <set>

namespace culprit::inspect {
namespace {

using binfmt::GpuCode;
using binfmt::GpuPart;
using binfmt::GpuTarget;
using report::GpuCodeCounts;

void Fill(const binfmt::GpuTotals& totals, GpuCodeCounts& counts) {
  for (const auto& [target, count] : totals) {
    report::TargetCounts& list = target.kind == GpuTarget::Kind::kSass    ? counts.sass
                                 : target.kind == GpuTarget::Kind::kPtx   ? counts.ptx
                                 : target.kind == GpuTarget::Kind::kLtoIr ? counts.lto_ir
                                                                          : counts.other;
    list.emplace_back(target.Name(), count);
  }
}

}  // namespace

report::GpuCodeAnswer DescribeGpuCode(const GpuCode& code) {
  report::GpuCodeAnswer answer{.complete = code.complete, .problem = code.problem};
  Fill(Totals(code, GpuPart::kListed), answer.listed);
  Fill(Totals(code, GpuPart::kElsewhere), answer.elsewhere);
  const std::vector<GpuPart> parts = PartsOf(code);
  std::set<std::pair<uint16_t, uint16_t>> ptx_versions;
  for (size_t i = 0; i < code.containers.size(); ++i) {
    const GpuCode::Containers& containers = code.containers[i];
    if (parts[i] == GpuPart::kElsewhere) answer.elsewhere.containers += containers.count;
    if (parts[i] == GpuPart::kListed) answer.listed.containers += containers.count;
    for (const GpuTarget& target : containers.targets) {
      const bool ptx = target.kind == GpuTarget::Kind::kPtx && parts[i] == GpuPart::kListed;
      if (ptx) ptx_versions.emplace(target.ptx_major, target.ptx_minor);
    }
    if (containers.section.empty()) continue;  // a file without sections
    auto section =
        std::ranges::find(answer.sections, containers.section, &std::pair<std::string, GpuCodeCounts>::first);
    if (section == answer.sections.end()) {
      section = answer.sections.insert(section, {containers.section, {}});
      Fill(TotalsOfSection(code, containers.section), section->second);
    }
    section->second.containers += containers.count;
  }
  for (const auto& [major, minor] : ptx_versions) {
    answer.ptx_isa.push_back(std::to_string(major) + "." + std::to_string(minor));
  }
  return answer;
}

}  // namespace culprit::inspect
