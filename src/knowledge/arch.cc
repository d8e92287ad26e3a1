#include "knowledge/arch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "knowledge/packages/distributions.h"
#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

using base::Version;

constexpr std::string_view kPtxSuffix = "+PTX";
constexpr std::string_view kPtxOnly = "PTX ";

std::string Described(const Capability& row) {
  return "compute capability " + Text(row.cc) + " (" + Text(row.architecture) + ")";
}

std::string Branch(uint32_t branch) { return "R" + std::to_string(branch); }

CodeFit MachineCodeRunsOn(std::string_view target, const Version& cc) {
  if (target.ends_with('a') || target.ends_with('f')) {
    for (const TargetVariant& row : TargetVariants()) {
      if (row.target != target) continue;
      const bool fits =
          std::ranges::any_of(row.runs_on, [&](std::string_view on) { return Known(on) == cc; });
      return fits ? CodeFit::kMachineCode : CodeFit::kNo;
    }
    return CodeFit::kUnknown;
  }
  const Version code = Known(target);
  if (code == cc) return CodeFit::kMachineCode;
  if (code.part(0) != cc.part(0) || code > cc) return CodeFit::kNo;
  // Same major and an equal or higher minor; not between discrete GPUs and systems on chip.
  return IsJetson(cc) || IsJetson(code) ? CodeFit::kUnknown : CodeFit::kMachineCode;
}

CodeFit PtxRunsOn(std::string_view target, const Version& cc) {
  if (target.ends_with('a') || target.ends_with('f')) {
    return MachineCodeRunsOn(target, cc) == CodeFit::kMachineCode ? CodeFit::kPtx : CodeFit::kNo;
  }
  return Known(target) <= cc ? CodeFit::kPtx : CodeFit::kNo;
}

}  // namespace

bool IsJetson(const Version& cc) {
  const Capability* row = FindCapability(cc);
  return row != nullptr && row->jetson;
}

const Capability* FindCapability(const Version& cc) {
  static const auto kAll = [] {
    std::vector<std::pair<Version, const Capability*>> all;
    for (const Capability& row : Capabilities()) all.emplace_back(Known(row.cc), &row);
    return all;
  }();
  const auto at = std::ranges::find(kAll, cc, [](const auto& one) -> const Version& { return one.first; });
  return at == kAll.end() ? nullptr : at->second;
}

const PtxIsa* NewestPtxOfDriver(const Version& driver) {
  const PtxIsa* found = nullptr;
  for (const PtxIsa& row : PtxIsas()) {
    if (row.first_driver_branch <= driver.part(0)) found = &row;
  }
  return found;
}

const PtxIsa* PtxOfCuda(std::string_view cuda) {
  const auto wanted = Version::Parse(cuda);
  if (!wanted || wanted->parts.size() < 2) return nullptr;
  const Version newest = MinorOf(Known(Toolkits().back().cuda));
  if (MinorOf(*wanted) > newest) return nullptr;
  const PtxIsa* found = nullptr;
  for (const PtxIsa& row : PtxIsas()) {
    if (Known(row.first_cuda) <= MinorOf(*wanted)) found = &row;
  }
  return found;
}

Answer ToolkitTargets(std::string_view cuda, const Version& cc) {
  const auto wanted = Version::Parse(cuda);
  const Capability* row = FindCapability(cc);
  if (!wanted) return Unknown(Text(cuda) + " is not a version");
  if (row == nullptr) return Unknown("compute capability " + cc.ToString() + " is not in the table");
  const Version release = MinorOf(*wanted);
  const bool whole_major = release.parts.size() == 1;
  const Version first = Known(row->first_cuda);
  if (whole_major && release.part(0) == first.part(0) && first.part(1) > 0) {
    return Unknown("CUDA " + Text(row->first_cuda) + " is the first that compiles for " + Described(*row) +
                       "; it depends on which " + Text(cuda) + ".x you mean",
                   row->source);
  }
  if (release < first) {
    return No("CUDA " + Text(row->first_cuda) + " is the first that compiles for " + Described(*row),
              row->source);
  }
  if (!row->last_cuda.empty()) {
    const Version last = Known(row->last_cuda);
    if (release > last) {
      const std::string rename =
          row->renamed_to.empty() ? "" : "; later releases call it " + Text(row->renamed_to);
      return No("CUDA " + Text(row->last_cuda) + " is the last that compiles for " + Described(*row) + rename,
                row->source);
    }
    return Yes(
        "CUDA " + Text(row->first_cuda) + " to " + Text(row->last_cuda) + " compile for " + Described(*row),
        row->source);
  }
  if (release > MinorOf(Known(Toolkits().back().cuda))) {
    return Unknown("CUDA " + Text(cuda) + " is newer than the table", row->source);
  }
  return Yes("CUDA " + Text(row->first_cuda) + " and later compile for " + Described(*row), row->source);
}

Answer DriverDrives(const Version& driver, const Version& cc, Platform platform) {
  const Capability* row = FindCapability(cc);
  if (row == nullptr) return Unknown("compute capability " + cc.ToString() + " is not in the table");
  if (row->jetson) return Unknown(Described(*row) + " is a system on chip with its own drivers", row->source);
  const uint32_t branch = driver.part(0);
  if (row->last_driver_branch != 0 && branch > row->last_driver_branch) {
    return No(Branch(row->last_driver_branch) + " is the last driver branch for " + Described(*row),
              row->source);
  }
  if (IsNewerThanTable(driver, platform)) {
    return Unknown("driver " + DriverText(driver) + " is newer than what culprit knows (" +
                       Branch(DriverBranches().back().branch) + ", " + Text(KnowledgeDate()) +
                       "); its release notes say whether it still supports " + Described(*row),
                   row->source);
  }
  // A driver drives what the release it belongs to compiles for.
  const DriverCuda own = CudaOfDriver(driver, platform);
  const bool sure = row->first_driver_branch == 0
                        ? !own.cuda.empty() && Known(own.cuda) >= Known(row->first_cuda)
                        : branch >= row->first_driver_branch;
  const std::string since = row->first_driver_branch == 0
                                ? "drivers that belong to CUDA " + Text(row->first_cuda) + " or later"
                                : Branch(row->first_driver_branch) + " and later";
  if (!sure) {
    return Unknown(since + " support " + Described(*row) + "; support in " + Branch(branch) + " is not known",
                   row->source);
  }
  const std::string until = row->last_driver_branch == 0 ? "" : " until " + Branch(row->last_driver_branch);
  return Yes(since + " support " + Described(*row) + until, row->source);
}

CodeFit CodeRunsOn(std::string_view code, const Version& cc) {
  if (code.starts_with(kPtxOnly)) return PtxRunsOn(code.substr(kPtxOnly.size()), cc);
  if (!code.ends_with(kPtxSuffix)) return MachineCodeRunsOn(code, cc);
  code.remove_suffix(kPtxSuffix.size());
  const CodeFit machine_code = MachineCodeRunsOn(code, cc);
  return machine_code == CodeFit::kMachineCode ? machine_code : PtxRunsOn(code, cc);
}

CodeFit CodeRunsOn(std::span<const std::string_view> codes, const Version& cc) {
  const auto rank = [](CodeFit fit) {
    switch (fit) {
      case CodeFit::kMachineCode:
        return 3;
      case CodeFit::kPtx:
        return 2;
      case CodeFit::kUnknown:
        return 1;
      case CodeFit::kNo:
        break;
    }
    return 0;
  };
  CodeFit best = codes.empty() ? CodeFit::kUnknown : CodeFit::kNo;
  for (const std::string_view code : codes) {
    const CodeFit fit = CodeRunsOn(code, cc);
    if (rank(fit) > rank(best)) best = fit;
  }
  return best;
}

}  // namespace culprit::knowledge
