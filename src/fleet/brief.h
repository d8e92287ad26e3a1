// A node in brief: the facts by which the nodes of a fleet are compared, and what was found on it. Redacted,
// and at most 64 kB, so that any launcher can return a thousand of them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "report/check.h"
#include "report/fleet.h"
#include "snapshot/snapshot.h"

namespace culprit::fleet {

inline constexpr std::string_view kSchema = "culprit.brief/1";
inline constexpr size_t kMostBytes = 64 * 1024;

struct BriefFinding {
  std::string code, cause;
  report::Severity severity = report::Severity::kNote;
  std::string summary, subject;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("code", self.code);
    visit("cause", self.cause);
    visit.Always("severity", self.severity);
    visit("summary", self.summary);
    visit("subject", self.subject);
  }
  bool operator==(const BriefFinding&) const = default;
};

struct Brief {
  std::string node;
  std::string taken;    // "2026-11-18T11:04:07Z": of two from one node, the later counts
  std::string error;    // why it did not answer; then there is nothing else
  std::string version;  // of culprit
  report::Verdict verdict = report::Verdict::kUnknown;
  std::vector<report::NodeFact> facts;  // sorted, each `what` once
  std::vector<BriefFinding> findings;
  size_t left_out = 0;  // facts and findings for which there was no room

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("node", self.node);
    visit("taken", self.taken);
    visit("error", self.error);
    visit("version", self.version);
    visit.Always("verdict", self.verdict);
    visit("facts", self.facts);
    visit("findings", self.findings);
    visit("left_out", self.left_out);
  }
  bool operator==(const Brief&) const = default;
};

// Redacts a text.
using Hide = std::function<std::string(const std::string&)>;

Brief MakeBrief(const snapshot::Snapshot& snapshot, const report::CheckReport& report, const Hide& hide,
                std::string node, std::string taken);

// One line of JSON, without its end.
std::string ToLine(const Brief& brief);
// Reads such a line. It is untrusted: at most kMostBytes are read.
base::Result<Brief> ReadBrief(std::string_view text);

}  // namespace culprit::fleet
