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

Comparison::Place PlaceOf(const Finding& finding) { return {finding.code, finding.subject}; }

Comparison::Places PlacesOf(const CheckReport& report) {
  Comparison::Places places;
  for (const Finding& finding : report.findings) {
    auto& [count, worst] = places.try_emplace(PlaceOf(finding), 0, finding.severity).first->second;
    ++count;
    worst = std::min(worst, finding.severity);
  }
  return places;
}

size_t CountAt(const Comparison::Places& places, const Finding& finding) {
  const auto place = places.find(PlaceOf(finding));
  return place == places.end() ? 0 : place->second.count;
}

// A stand-in file does not have the size of the real file.
bool IsStandIn(const Finding& fixed, const Finding& one) {
  return one.by_size && std::ranges::any_of(fixed.fix.changes, [&](const report::Change& change) {
           const auto* put = change.As<report::PutLibrary>();
           return put != nullptr && put->path == one.subject;
         });
}

size_t Blind(const CheckReport& report) { return report.rules_total - report.rules_run; }

}  // namespace

Comparison::Comparison(const CheckReport& before, const CheckReport& after)
    : before_(before), after_(after), there_before_(PlacesOf(before)), there_after_(PlacesOf(after)) {
  for (const Finding& one : after.findings) {
    const auto old = there_before_.find(PlaceOf(one));
    const bool known = old != there_before_.end() && old->second.worst <= one.severity;
    if (one.severity != report::Severity::kNote && !known) new_.push_back(&one);
  }
}

// A rule may report several findings about one subject; the one in question is gone if it is no longer
// reported and there is one less.
const Finding* Comparison::StillThere(const Finding& finding) const {
  const size_t count_before = CountAt(there_before_, finding), count_after = CountAt(there_after_, finding);
  if (count_after == 0) return nullptr;
  for (const Finding& one : after_.findings) {
    if (SamePlace(one, finding) && (one.about == finding.about || count_after >= count_before)) return &one;
  }
  return nullptr;
}

Proof Comparison::Of(const Finding& finding) const {
  Proof proof;
  if (const Finding* left = StillThere(finding)) {
    proof.outcome = Proof::Outcome::kNotGone;
    proof.why = "check still reports: " + left->summary;
    return proof;
  }
  for (const Finding& old : before_.findings) {
    if (!SamePlace(old, finding) && CountAt(there_after_, old) == 0 &&
        std::ranges::find(proof.also, old.code) == proof.also.end())
      proof.also.push_back(old.code);
  }
  for (const Finding* one : new_) {
    if (!IsStandIn(finding, *one)) proof.brings.push_back({one->code, one->summary});
  }
  if (!proof.brings.empty()) {
    // The same fault in another place is not fixed.
    const bool moved =
        std::ranges::any_of(proof.brings, [&](const auto& one) { return one.code == finding.code; });
    proof.outcome = moved ? Proof::Outcome::kNotGone : Proof::Outcome::kBringsNew;
    proof.why = (moved ? "check then reports: " : "it causes: ") + proof.brings.front().summary;
    return proof;
  }
  if (Blind(after_) > Blind(before_)) {
    for (const NotChecked& missing : after_.not_checked) {
      if (std::ranges::find(before_.not_checked, missing) != before_.not_checked.end()) continue;
      proof.why = "after this change, culprit could not check: " + missing.what + ": " + missing.why;
      return proof;
    }
  }
  proof.outcome = Proof::Outcome::kShown;
  return proof;
}

Proof Compare(const CheckReport& before, const CheckReport& after, const Finding& finding) {
  return Comparison(before, after).Of(finding);
}

}  // namespace culprit::prove
