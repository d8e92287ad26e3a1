// The result of `culprit check`: the verdict, the findings, the stack as a compact table, what could not be
// checked. Plain values: the engine and the features fill them, render/ writes them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "report/finding.h"

namespace culprit::report {

enum class Verdict { kOk, kWarnings, kErrors, kUnknown };
constexpr std::array<std::string_view, 4> WordsOf(Verdict) { return {"ok", "warnings", "errors", "unknown"}; }
inline std::string_view Name(Verdict verdict) { return base::Word(verdict); }

enum class StackKind { kOther, kDriver, kGpu, kToolkit, kCudnn, kPython, kFramework, kLibrary, kBuild };

// One line of the stack: "torch", "2.11.0+cu130", "/opt/venv ...". Rows below a heading belong together.
struct StackRow {
  StackKind kind = StackKind::kOther;
  std::string what;      // "driver", "GPU 0", "toolkit", "cuDNN", "torch"
  std::string value;     // version or name; "none" and "not known" are words
  std::string where;     // path
  std::string detail;    // "loads cuDNN 9.19.0 from ..."
  size_t depth = 0;      // 1 = belongs to the row before it with depth 0
  bool none = false;     // it does not exist, or is unknown
  bool unknown = false;  // it could not be seen, so it may exist; only of the driver and the GPUs
  bool operator==(const StackRow&) const = default;
};

// The outcome of one rule, for output that lists every rule.
struct RuleOutcome {
  std::string code;
  std::vector<NotChecked> lacking;  // the missing facts; none = it ran
};

// Findings that somebody asked not to hear of. They count nowhere, and every report says so.
struct Ignored {
  std::string code;
  std::string reason;  // "" none was given
  std::string source;  // "--ignore", ".culprit.toml:4"
  std::vector<Finding> findings{};
};

struct CheckReport {
  Verdict verdict = Verdict::kUnknown;
  bool nothing_of_cuda = false;  // there was nothing to judge: kUnknown for that reason alone, kOk of recipes
  std::string headline;          // the verdict in one line
  std::vector<Finding> findings;   // worst first
  std::vector<Ignored> ignored{};  // all that were asked for, also those that hide nothing
  std::vector<StackRow> stack;
  std::vector<NotChecked> not_checked;
  size_t rules_run = 0;  // rules that had enough facts
  size_t rules_total = 0;
  std::vector<RuleOutcome> outcomes;  // of every rule that ran or should have, by code
};

// One row of `culprit rules`, and the page of `culprit explain CODE`.
struct RulePage {
  std::string code, name, cause, severity, since, title, page;
  Family family = Family::kDriver;
};

}  // namespace culprit::report
