#include "plan/universe/exclusions.h"

#include <algorithm>

#include "plan/commands/in_order.h"

namespace culprit::plan {
namespace {

Group GroupOf(const Universe& universe, const Narrowed& narrowed, size_t package, size_t candidate) {
  const Exclusion& why = narrowed.why[package][candidate];
  Group group{.package = package, .candidates = {candidate}};
  if (why.kind == Exclusion::Kind::kPushed) {
    group.below = why.pusher;
    group.pushed = true;
    group.text = "not what " + universe.packages[why.pusher].name + " needs";
    return group;
  }
  const Need& need = universe.at(package, candidate).needs[why.need];
  group.text = need.fails;
  group.source = need.source;
  group.unknown = need.unknown;
  group.missing = need.missing;
  const Package& needed = universe.packages[need.package];
  if (needed.candidates.size() == 1 && needed.name == "driver") {
    group.text += "; this host has " + needed.candidates.front().version;
  }
  if (!need.accepts.empty()) {
    group.below = need.package;
    group.below_accepts = need.accepts;
  }
  return group;
}

// Releases of the package between those of the group that are not in it.
bool Contiguous(const Package& package, const std::vector<size_t>& candidates, size_t from, size_t to) {
  const base::Version& newest = package.candidates[candidates[from]].number;
  const base::Version& oldest = package.candidates[candidates[to]].number;
  for (const Candidate& other : package.candidates) {
    if (other.number >= newest || other.number <= oldest) continue;
    const bool inside = std::ranges::any_of(
        candidates, [&](size_t c) { return package.candidates[c].number == other.number; });
    if (!inside) return false;
  }
  return true;
}

}  // namespace

std::vector<Group> GroupExclusions(const Universe& universe, const Narrowed& narrowed, size_t package,
                                   const std::vector<size_t>& candidates) {
  std::vector<Group> groups;
  for (const size_t candidate : candidates) {
    if (narrowed.left[package][candidate]) continue;
    if (narrowed.why[package][candidate].kind == Exclusion::Kind::kAsked) continue;
    Group group = GroupOf(universe, narrowed, package, candidate);
    const auto same = std::ranges::find_if(groups, [&](const Group& other) {
      return other.text == group.text && other.unknown == group.unknown && other.below == group.below;
    });
    if (same == groups.end()) {
      groups.push_back(std::move(group));
      continue;
    }
    same->candidates.push_back(candidate);
    for (const size_t accepted : group.below_accepts) {
      if (std::ranges::find(same->below_accepts, accepted) == same->below_accepts.end())
        same->below_accepts.push_back(accepted);
    }
  }
  for (Group& group : groups) std::ranges::sort(group.below_accepts);
  return groups;
}

std::string RangeWords(const Universe& universe, size_t package, std::vector<size_t> candidates) {
  const Package& whole = universe.packages[package];
  if (candidates.size() > 1)
    std::erase_if(candidates, [&](size_t c) { return !whole.candidates[c].before.empty(); });
  SortInOrder(candidates,
              [&](size_t a, size_t b) { return whole.candidates[a].number > whole.candidates[b].number; });
  const auto number = [&](size_t i) -> const base::Version& {
    return whole.candidates[candidates[i]].number;
  };
  const auto shown = [&](size_t i) {
    const Candidate& candidate = whole.candidates[candidates[i]];
    if (!candidate.before.empty()) return "before " + candidate.before;
    return whole.role == PackageRole::kDriver ? candidate.version : number(i).ToString();
  };
  std::string text;
  for (size_t i = 0; i < candidates.size();) {  // newest first; said from the oldest
    size_t last = i;
    while (last + 1 < candidates.size() &&
           (number(last + 1) == number(last) || Contiguous(whole, candidates, last, last + 1)))
      ++last;
    const std::string range = number(last) == number(i) ? shown(i) : shown(last) + " to " + shown(i);
    text = range + (text.empty() ? "" : ", " + text);
    i = last + 1;
  }
  std::vector<std::string> variants;
  bool others = false;
  for (size_t c = 0; c < whole.candidates.size(); ++c) {
    const bool inside = std::ranges::find(candidates, c) != candidates.end();
    const bool same_release = std::ranges::any_of(
        candidates, [&](size_t in) { return whole.candidates[in].number == whole.candidates[c].number; });
    if (!inside) others |= same_release;
    if (inside && std::ranges::find(variants, whole.candidates[c].variant) == variants.end())
      variants.push_back(whole.candidates[c].variant);
  }
  std::string builds;
  std::ranges::sort(variants);
  for (const std::string& variant : variants) {
    if (!variant.empty()) builds += (builds.empty() ? "" : ", ") + variant;
  }
  return whole.name + " " + text + (others && !builds.empty() ? " (" + builds + ")" : "");
}

}  // namespace culprit::plan
