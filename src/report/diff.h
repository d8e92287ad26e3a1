// The result of `culprit diff A B`: what changed, most likely cause first.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "report/check.h"
#include "report/finding.h"

namespace culprit::report {

enum class Differs { kAdded, kRemoved, kChanged };
std::string_view Name(Differs how);  // "added", "removed", "changed"

// If two are equally suspicious, the earlier kind comes first.
enum class DifferenceKind {
  kVariable,
  kPackage,
  kFile,
  kDriver,
  kGpu,
  kCudnn,
  kToolkit,
  kLoader,
  kFramework,
  kLoad,
  kRun,
  kContext,
  kFinding,
};
constexpr std::array<std::string_view, 13> WordsOf(DifferenceKind) {
  return {"variable", "package",   "file", "driver", "gpu",     "cudnn",  "toolkit",
          "loader",   "framework", "load", "run",    "context", "finding"};
}

struct Difference {
  Differs how = Differs::kChanged;
  DifferenceKind kind = DifferenceKind::kContext;
  std::string subject;  // "libcudnn.so.9 for torch 2.11.0 in /opt/venv"
  std::string summary;  // in one line: "LD_LIBRARY_PATH: /usr/lib/x86_64-linux-gnu added in front"
  std::string before, after;
  std::string why;                    // the reason for its rank: "a finding that is new is about it"
  int suspicion = 0;                  // 0 (noise) to 100
  std::vector<std::string> findings;  // codes of new findings that mention it
  // Differences that follow from this one: the files of a package, what another search path loads. One line
  // each, worst first; `more` are not listed.
  std::vector<std::string> leads_to;
  size_t more = 0;
  std::optional<Layer> layer{};  // of the image AFTER, that brought or removed it; where it can be told
};

struct DiffReport {
  std::string before, after;  // names of the files
  Verdict verdict_before = Verdict::kUnknown, verdict_after = Verdict::kUnknown;
  std::string headline;                 // "most likely: ..."; or that nothing changed
  std::vector<std::string> remarks;     // "two machines: ..."; "made by two versions of culprit: ..."
  std::vector<Difference> differences;  // by suspicion
  std::vector<Finding> new_findings;    // in B, not in A
  std::vector<Finding> gone_findings;   // in A, not in B
  size_t same_findings = 0;
  std::vector<NotChecked> not_compared;
  bool windows = false;
};

}  // namespace culprit::report
