#include "plan/universe/narrow.h"

#include <algorithm>
#include <optional>

namespace culprit::plan {
namespace {

class Narrowing {
 public:
  Narrowing(const Universe& universe, const Ignored& ignored, Narrowed& narrowed)
      : universe_(universe), ignored_(ignored), narrowed_(narrowed) {}

  void Ask(const std::vector<Root>& roots, bool required) {
    for (size_t r = 0; r < roots.size(); ++r) {
      if (required) narrowed_.required[roots[r].package] = true;
      const auto& accepts = roots[r].accepts;
      for (size_t c = 0; c < narrowed_.left[roots[r].package].size(); ++c) {
        if (!std::ranges::binary_search(accepts, c))
          Exclude(roots[r].package, c, {Exclusion::Kind::kAsked, r, kNone, kNone});
      }
    }
  }

  void LeaveOutBefore() {
    for (size_t p = 0; p < universe_.packages.size(); ++p) {
      const auto& candidates = universe_.packages[p].candidates;
      const bool has = !candidates.empty() && !candidates.back().before.empty();
      if (has) Exclude(p, candidates.size() - 1, {});
    }
  }

  void Run() {
    for (changed_ = true; changed_ && !Empty();) {
      changed_ = false;
      for (size_t p = 0; p < universe_.packages.size(); ++p) DropWithoutNeeds(p);
      if (Empty()) return;
      for (size_t p = 0; p < universe_.packages.size(); ++p) {
        if (narrowed_.required[p]) Push(p);
      }
    }
    Empty();
  }

 private:
  static int Weight(const Need& need) {
    return need.missing ? 2 : need.unknown ? 3 : need.accepts.empty() ? 0 : 1;
  }
  bool Left(size_t package, size_t candidate) const { return narrowed_.left[package][candidate] != 0; }

  void Exclude(size_t package, size_t candidate, Exclusion why) {
    if (!Left(package, candidate)) return;
    narrowed_.left[package][candidate] = 0;
    narrowed_.why[package][candidate] = why;
    changed_ = true;
  }

  bool Empty() {
    for (size_t p = 0; p < universe_.packages.size() && narrowed_.empty == kNone; ++p) {
      if (narrowed_.required[p] && narrowed_.CountLeft(p) == 0) narrowed_.empty = p;
    }
    return narrowed_.empty != kNone;
  }

  void DropWithoutNeeds(size_t package) {
    const auto& candidates = universe_.packages[package].candidates;
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (!Left(package, c)) continue;
      size_t failed =
          kNone;  // what is there speaks before what follows from it, and that before what is not known
      for (size_t n = 0; n < candidates[c].needs.size(); ++n) {
        const Need& need = candidates[c].needs[n];
        if (ignored_.Has(need)) continue;
        if (std::ranges::any_of(need.accepts, [&](size_t a) { return Left(need.package, a); })) continue;
        if (failed == kNone || Weight(need) < Weight(candidates[c].needs[failed])) failed = n;
      }
      if (failed != kNone) Exclude(package, c, {Exclusion::Kind::kNeed, kNone, failed, kNone});
    }
  }

  // What every candidate that is left of a required package needs is required, and only what one of them
  // accepts can be.
  void Push(size_t package) {
    const auto& candidates = universe_.packages[package].candidates;
    std::vector<size_t> targets;
    bool first = true;
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (!Left(package, c)) continue;
      std::vector<size_t> own;
      for (const Need& need : candidates[c].needs) {
        if (!ignored_.Has(need)) own.push_back(need.package);
      }
      if (first) targets = own;
      std::erase_if(targets, [&](size_t t) { return std::ranges::find(own, t) == own.end(); });
      first = false;
    }
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (const size_t target : targets) {
      if (!narrowed_.required[target]) changed_ = true;
      narrowed_.required[target] = true;
      Marks accepted(narrowed_.left[target].size(), 0);
      for (size_t c = 0; c < candidates.size(); ++c) {
        if (!Left(package, c)) continue;
        for (const size_t a : Accepted(candidates[c], target)) accepted[a] = 1;
      }
      for (size_t a = 0; a < accepted.size(); ++a) {
        if (!accepted[a]) Exclude(target, a, {Exclusion::Kind::kPushed, kNone, kNone, package});
      }
    }
  }

  // Two needs of one package: both hold.
  std::vector<size_t> Accepted(const Candidate& candidate, size_t target) const {
    std::optional<std::vector<size_t>> all;
    for (const Need& need : candidate.needs) {
      if (need.package != target || ignored_.Has(need)) continue;
      if (!all) {
        all = need.accepts;
      } else {
        std::erase_if(*all, [&](size_t a) { return !std::ranges::binary_search(need.accepts, a); });
      }
    }
    return all.value_or(std::vector<size_t>{});
  }

  const Universe& universe_;
  const Ignored& ignored_;
  Narrowed& narrowed_;
  bool changed_ = false;
};

}  // namespace

size_t Narrowed::CountLeft(size_t package) const {
  return static_cast<size_t>(std::ranges::count(left[package], 1));
}

Narrowed NarrowFurther(const Universe& universe, const std::vector<Root>& roots, const Ignored& ignored,
                       Narrowed narrowed) {
  Narrowing narrowing(universe, ignored, narrowed);
  narrowing.Ask(roots, true);
  narrowing.Run();
  return narrowed;
}

Narrowed Narrow(const Universe& universe, const std::vector<Root>& roots) {
  return Narrow(universe, Demands{.roots = roots, .wants = {}});
}

Narrowed Narrow(const Universe& universe, const Demands& asked, Before before) {
  Narrowed narrowed;
  for (const Package& package : universe.packages) {
    narrowed.left.emplace_back(package.candidates.size(), 1);
    narrowed.why.emplace_back(package.candidates.size());
  }
  narrowed.required.assign(universe.packages.size(), false);
  Narrowing narrowing(universe, asked.ignored, narrowed);
  if (before == Before::kNo) narrowing.LeaveOutBefore();
  narrowing.Ask(asked.roots, true);
  narrowing.Ask(asked.bounds, false);
  narrowing.Run();
  return narrowed;
}

}  // namespace culprit::plan
