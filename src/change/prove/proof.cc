#include "change/prove/proof.h"

#include <algorithm>

#include "report/change.h"

namespace culprit::prove {
namespace {

using report::CheckReport;
using report::Finding;
using report::NotChecked;
using report::Proof;

bool SamePlace(const Finding& a, const Finding& b) { return a.code == b.code && a.subject == b.subject; }

auto CountAt(const CheckReport& report, const Finding& finding) {
  return std::ranges::count_if(report.findings, [&](const Finding& one) { return SamePlace(one, finding); });
}

// A rule may say several things of one subject; the one in question is gone when it is no longer said and
// there is one less.
const Finding* StillThere(const CheckReport& before, const CheckReport& after, const Finding& finding) {
  for (const Finding& one : after.findings) {
    if (SamePlace(one, finding) &&
        (one.about == finding.about || CountAt(after, finding) >= CountAt(before, finding)))
      return &one;
  }
  return nullptr;
}

bool IsNew(const CheckReport& before, const Finding& finding) {
  return finding.severity != report::Severity::kNote &&
         std::ranges::none_of(before.findings, [&](const Finding& old) {
           return SamePlace(old, finding) && old.severity <= finding.severity;
         });
}

// A stand-in that a change puts in place has not the size that the real file will have.
bool IsStandIn(const Finding& fixed, const Finding& one) {
  return one.by_size && std::ranges::any_of(fixed.fix.changes, [&](const report::Change& change) {
           const auto* put = change.As<report::PutLibrary>();
           return put != nullptr && put->path == one.subject;
         });
}

size_t Blind(const CheckReport& report) { return report.rules_total - report.rules_run; }

}  // namespace

Proof Compare(const CheckReport& before, const CheckReport& after, const Finding& finding) {
  Proof proof;
  if (const Finding* left = StillThere(before, after, finding)) {
    proof.outcome = Proof::Outcome::kNotGone;
    proof.why = "check still reports: " + left->summary;
    return proof;
  }
  for (const Finding& old : before.findings) {
    if (!SamePlace(old, finding) && CountAt(after, old) == 0 &&
        std::ranges::find(proof.also, old.code) == proof.also.end())
      proof.also.push_back(old.code);
  }
  for (const Finding& one : after.findings) {
    if (IsNew(before, one) && !IsStandIn(finding, one)) proof.brings.push_back({one.code, one.summary});
  }
  if (!proof.brings.empty()) {
    // The same fault in another place is no mended fault.
    const bool moved =
        std::ranges::any_of(proof.brings, [&](const auto& one) { return one.code == finding.code; });
    proof.outcome = moved ? Proof::Outcome::kNotGone : Proof::Outcome::kBringsNew;
    proof.why = (moved ? "check then reports: " : "it causes: ") + proof.brings.front().summary;
    return proof;
  }
  if (Blind(after) > Blind(before)) {
    for (const NotChecked& missing : after.not_checked) {
      if (std::ranges::find(before.not_checked, missing) != before.not_checked.end()) continue;
      proof.why = "afterwards this could not be checked: " + missing.what + ": " + missing.why;
      return proof;
    }
  }
  proof.outcome = Proof::Outcome::kShown;
  return proof;
}

}  // namespace culprit::prove
