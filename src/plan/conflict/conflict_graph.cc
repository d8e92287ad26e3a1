#include "plan/conflict/conflict_graph.h"

#include <algorithm>
#include <map>

namespace culprit::plan {
namespace {

constexpr size_t kDeepest = 4;

class Grapher {
 public:
  Grapher(const Universe& universe, const Narrowed& narrowed) : universe_(universe), narrowed_(narrowed) {}

  // Why none of these candidates of a package is left.
  std::vector<ConflictNode> Explain(size_t package, const std::vector<size_t>& candidates) {
    std::vector<ConflictNode> nodes;
    if (std::ranges::find(path_, package) != path_.end() || path_.size() >= kDeepest) return nodes;
    path_.push_back(package);
    std::vector<size_t> pushers;
    for (const Group& group : GroupExclusions(universe_, narrowed_, package, candidates)) {
      if (group.pushed) {
        if (std::ranges::find(pushers, group.below) == pushers.end()) pushers.push_back(group.below);
        continue;
      }
      ConflictNode node{RangeWords(universe_, package, group.candidates) + ": " + group.text,
                        group.source,
                        group.unknown,
                        {}};
      if (group.below != kNone) node.below = Explain(group.below, group.below_accepts);
      nodes.push_back(std::move(node));
    }
    for (const size_t pusher : pushers) {
      for (ConflictNode& node : WhatItNeeds(pusher, package)) nodes.push_back(std::move(node));
    }
    path_.pop_back();
    return nodes;
  }

  // The words with which a required package asks for another.
  std::vector<ConflictNode> WhatItNeeds(size_t package, size_t target) {
    std::vector<std::pair<std::string, std::vector<size_t>>> words;
    std::map<std::string, std::string> sources;
    std::vector<size_t> gone;
    const auto& candidates = universe_.packages[package].candidates;
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (!narrowed_.left[package][c]) {
        if (narrowed_.why[package][c].kind != Exclusion::Kind::kAsked) gone.push_back(c);
        continue;
      }
      for (const Need& need : candidates[c].needs) {
        if (need.package != target) continue;
        sources.emplace(need.words, need.source);
        const auto same =
            std::ranges::find(words, need.words, &std::pair<std::string, std::vector<size_t>>::first);
        if (same == words.end()) {
          words.push_back({need.words, {c}});
        } else if (same->second.back() != c) {
          same->second.push_back(c);
        }
      }
    }
    std::vector<ConflictNode> nodes;
    for (const auto& [text, those] : words)
      nodes.push_back({RangeWords(universe_, package, those) + ": " + text, sources[text], false, {}});
    if (nodes.empty()) return Explain(package, gone);
    if (!gone.empty()) {
      std::vector<ConflictNode> others = Explain(package, gone);
      nodes.insert(nodes.end(), others.begin(), others.end());
    }
    return nodes;
  }

 private:
  const Universe& universe_;
  const Narrowed& narrowed_;
  std::vector<size_t> path_;
};

// Where everything that was asked for needs a package of which nothing is there, that one is the reason.
size_t RootOf(const Universe& universe, const Narrowed& narrowed, size_t package) {
  const auto& candidates = universe.packages[package].candidates;
  for (size_t p = 0; p < universe.packages.size(); ++p) {
    if (p == package || universe.packages[p].candidates.empty() || narrowed.CountLeft(p) != 0) continue;
    bool all = true, any = false;
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (narrowed.why[package][c].kind == Exclusion::Kind::kAsked && !narrowed.left[package][c]) continue;
      any = true;
      all = all &&
            std::ranges::any_of(candidates[c].needs, [&](const Need& need) { return need.package == p; });
    }
    const bool own = std::ranges::none_of(
        narrowed.why[p], [](const Exclusion& why) { return why.kind == Exclusion::Kind::kPushed; });
    if (all && any && own) return p;
  }
  return package;
}

// Where only what was asked for excludes candidates: what each of the roots accepts.
std::vector<ConflictNode> WhatIsAsked(const Universe& universe, size_t package) {
  std::vector<ConflictNode> nodes;
  const Package& whole = universe.packages[package];
  for (const Root& root : universe.roots) {
    if (root.package != package || whole.candidates.empty()) continue;
    std::string text = root.words + ": ";
    if (root.accepts.empty()) {
      text += "not in the tables, which contain " + RangeWords(universe, package, AllOf(whole));
    } else {
      text += "accepts " + RangeWords(universe, package, root.accepts);
    }
    nodes.push_back({std::move(text), "", false, {}});
  }
  return nodes;
}

}  // namespace

std::vector<ConflictNode> GraphOf(const Universe& universe) {
  const Narrowed narrowed = Narrow(universe, universe.roots);
  Grapher grapher(universe, narrowed);
  if (narrowed.empty != kNone) {
    const size_t empty = RootOf(universe, narrowed, narrowed.empty);
    std::vector<ConflictNode> nodes = grapher.Explain(empty, AllOf(universe.packages[empty]));
    if (!nodes.empty()) return nodes;
    nodes = WhatIsAsked(universe, narrowed.empty);
    if (!nodes.empty()) return nodes;
    return {{universe.packages[narrowed.empty].name +
                 ": the tables have no complete data for any requested release",
             "",
             false,
             {}}};
  }
  // No single need excludes everything: say what each asks of what they share.
  std::vector<ConflictNode> nodes;
  for (const Root& root : universe.roots) {
    ConflictNode node{
        root.words + ": has builds that work alone, but none that works with the others", "", false, {}};
    for (size_t p = 0; p < universe.packages.size(); ++p) {
      if (!narrowed.required[p] || narrowed.CountLeft(p) < 2) continue;
      for (ConflictNode& below : grapher.WhatItNeeds(root.package, p)) {
        if (node.below.size() < 6) node.below.push_back(std::move(below));
      }
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::vector<ConflictNode> Simplify(std::vector<ConflictNode> graph) {
  std::vector<ConflictNode> kept;
  for (ConflictNode& node : graph) {
    node.below = Simplify(std::move(node.below));
    std::erase_if(node.below, [&](const ConflictNode& below) { return below.text == node.text; });
    const auto same = std::ranges::find(kept, node.text, &ConflictNode::text);
    if (same == kept.end()) {
      kept.push_back(std::move(node));
    } else {
      for (ConflictNode& below : node.below) {
        if (std::ranges::find(same->below, below) == same->below.end())
          same->below.push_back(std::move(below));
      }
    }
  }
  return kept;
}

}  // namespace culprit::plan
