#include "plan/choose.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>

#include "knowledge/packages/release.h"
#include "plan/commands/in_order.h"
#include "plan/universe/narrow.h"

namespace culprit::plan {
namespace {

constexpr size_t kMostPairs = 12;  // installed packages of which two at a time are given up in search

class Chooser {
 public:
  Chooser(const Universe& universe, const Demands& asked, Narrowed narrowed, std::unique_ptr<Pool> pool,
          Choice first)
      : universe_(universe),
        asked_(asked),
        narrowed_(std::move(narrowed)),
        pool_(std::move(pool)),
        roots_(asked.roots),
        choice_(std::move(first)) {
    pooled_ = CountLeft(narrowed_);
    tightened_ = roots_.size();
  }

  Choice Run(size_t first) {
    if (first != kNone && choice_[first] != kNone) TakeFirst(first, AllOf(first));
    for (const size_t want : asked_.wants) {
      if (FollowsTorch(want)) TakeNewestTorch();
      TakeNewest(want);
    }
    KeepInstalled();
    for (const size_t want : asked_.wants) TakeFirst(want, ByBuild(want));
    for (const size_t package : universe_.installed) {
      if (choice_[package] != kNone) TakeFirst(package, ByBuild(package));
    }
    // Packages that came along: frameworks and companions, then the rest in the order of creation. Facts
    // follow from them: a CUDA major is not preferred by itself.
    TakeAlong(
        [](PackageRole role) { return role == PackageRole::kFramework || role == PackageRole::kCompanion; });
    TakeAlong([](PackageRole role) { return role != PackageRole::kNone; });
    TakeAlong([](PackageRole) { return true; });
    return choice_;
  }

 private:
  bool Try(const std::vector<Root>& roots) {
    // Most of what cannot be is seen without the solver, in a tenth of its time. It makes a rule of every two
    // candidates of a package, so it is given few.
    const Narrowed left = NarrowFurther(universe_, roots, asked_.ignored, narrowed_);
    if (left.empty != kNone) return false;
    const bool few = 2 * CountLeft(left) < pooled_;
    auto found = few ? Pool(universe_, left, asked_.ignored).Install(roots) : pool_->Install(roots);
    if (!found) return false;
    choice_ = *std::move(found);
    return true;
  }
  bool TryAlso(Root root) {
    std::ranges::sort(root.accepts);
    std::vector<Root> roots = roots_;
    roots.push_back(std::move(root));
    return Try(roots);
  }
  // What is fixed excludes most of the rest: it need not be tried, and the solver sees less.
  void Tighten() {
    if (roots_.size() == tightened_) return;
    tightened_ = roots_.size();
    narrowed_ = NarrowFurther(universe_, roots_, asked_.ignored, std::move(narrowed_));
    const size_t left = CountLeft(narrowed_);
    if (3 * left > 2 * pooled_) return;
    pool_ = std::make_unique<Pool>(universe_, narrowed_, asked_.ignored);
    pooled_ = left;
  }
  size_t CountLeft(const Narrowed& narrowed) const {
    size_t count = 0;
    for (size_t p = 0; p < universe_.packages.size(); ++p) count += narrowed.CountLeft(p);
    return count;
  }
  bool IsPossible(size_t package, size_t candidate) const { return narrowed_.left[package][candidate] != 0; }

  // What the choice at hand meets already.
  void Fix(size_t package, std::vector<size_t> accepts) {
    std::ranges::sort(accepts);
    roots_.push_back({package, std::move(accepts), ""});
  }
  bool IsFixed(size_t package) const {
    return std::ranges::any_of(
        roots_, [&](const Root& root) { return root.package == package && root.accepts.size() == 1; });
  }

  template <typename Test>
  void TakeAlong(Test test) {
    for (bool more = true; more;) {
      more = false;
      for (size_t p = 0; p < universe_.packages.size(); ++p) {
        if (choice_[p] == kNone || IsFixed(p) || !test(universe_.packages[p].role)) continue;
        TakeFirst(p, ByPreference(p));
        more = true;
      }
    }
  }

  // Packages whose torch decides their version, as if torch were wanted first.
  bool FollowsTorch(size_t package) const {
    const std::string& name = universe_.packages[package].name;
    return name == "torchvision" || name == "torchaudio";
  }
  void TakeNewestTorch() {
    for (size_t p = 0; p < universe_.packages.size(); ++p) {
      const bool asked = std::ranges::find(asked_.wants, p) != asked_.wants.end();
      if (universe_.packages[p].name == "torch" && choice_[p] != kNone && !asked) TakeNewest(p);
    }
  }

  void TakeNewest(size_t package) {
    const auto& candidates = universe_.packages[package].candidates;
    Tighten();
    for (;;) {
      const base::Version have = candidates[choice_[package]].number;
      Root newer{package, {}, ""};
      std::vector<size_t> same;
      for (size_t c = 0; c < candidates.size(); ++c) {
        if (candidates[c].number > have && IsPossible(package, c)) newer.accepts.push_back(c);
        if (candidates[c].number == have) same.push_back(c);
      }
      if (!newer.accepts.empty() && TryAlso(newer)) continue;
      Fix(package, std::move(same));
      return;
    }
  }
  // Of an order the first that can be.
  void TakeFirst(size_t package, const std::vector<size_t>& order) {
    Tighten();
    for (;;) {
      const auto at = std::ranges::find(order, choice_[package]);
      Root better{package, {order.begin(), at}, ""};
      std::erase_if(better.accepts, [&](size_t c) { return !IsPossible(package, c); });
      if (!better.accepts.empty() && TryAlso(better)) continue;
      Fix(package, {choice_[package]});
      return;
    }
  }

  // ---- fewest changes

  std::vector<size_t> AllOf(size_t package) const {
    std::vector<size_t> all(universe_.packages[package].candidates.size());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }

  std::vector<Root> Keeping(const std::vector<size_t>& given_up) const {
    std::vector<Root> roots = roots_;
    for (size_t i = 0; i < universe_.installed.size(); ++i) {
      const size_t package = universe_.installed[i];
      if (universe_.here[i] != kNone && std::ranges::find(given_up, i) == given_up.end()) {
        roots.push_back({package, {universe_.here[i]}, ""});
      } else if (universe_.packages[package].role !=
                 report::PackageRole::kLibrary) {  // another version rather than none
        roots.push_back({package, AllOf(package), ""});
      }
    }
    return roots;
  }
  void KeepInstalled() {
    if (universe_.installed.empty()) return;
    const size_t count = universe_.installed.size();
    const auto keep = [&](const std::vector<size_t>& given_up) {
      std::vector<Root> roots = Keeping(given_up);
      if (!Try(roots)) return false;
      roots_ = std::move(roots);
      return true;
    };
    // The lightest are given up first: libraries before companions before frameworks.
    if (keep({})) return;
    for (size_t i = count; i-- > 0;) {
      if (keep({i})) return;
    }
    for (size_t i = count; i-- > 0 && count <= kMostPairs;) {
      for (size_t j = i; j-- > 0;) {
        if (keep({i, j})) return;
      }
    }
    std::vector<size_t> changed;
    for (size_t i = 0; i < count; ++i) {
      const size_t package = universe_.installed[i];
      if (universe_.here[i] != kNone && TryAlso({package, {universe_.here[i]}, ""})) {
        Fix(package, {universe_.here[i]});
      } else if (universe_.packages[package].role != report::PackageRole::kLibrary &&
                 TryAlso({package, AllOf(package), ""})) {
        Fix(package, AllOf(package));
        changed.push_back(package);
      }
    }
    // Their versions last, so that nothing else changes just for a newer one.
    for (const size_t package : changed) TakeNewest(package);
    Try(roots_);
  }

  // ---- orders

  // The builds against which chosen packages were compiled.
  std::set<size_t> PreferredByOthers(size_t package) const {
    std::set<size_t> preferred;
    for (size_t p = 0; p < choice_.size(); ++p) {
      if (choice_[p] == kNone || universe_.packages[p].role != PackageRole::kCompanion) continue;
      for (const Need& need : universe_.at(p, choice_[p]).needs) {
        if (need.package == package) preferred.insert(need.prefers.begin(), need.prefers.end());
      }
    }
    return preferred;
  }
  std::vector<size_t> ByBuild(size_t package) const {
    const auto& candidates = universe_.packages[package].candidates;
    std::vector<size_t> order = AllOf(package);
    const std::set<size_t> against = PreferredByOthers(package);
    const auto key = [&](size_t c) {
      const bool native = candidates[c].native || asked_.any_driver;
      return std::tuple(!against.contains(c), !candidates[c].is_default, !native);
    };
    SortInOrder(order, [&](size_t a, size_t b) {
      if (candidates[a].number != candidates[b].number) return candidates[a].number > candidates[b].number;
      return key(a) < key(b);
    });
    return order;
  }
  std::vector<size_t> ByPreference(size_t package) const {
    std::vector<size_t> order;
    const auto add = [&](size_t c) {
      if (std::ranges::find(order, c) == order.end()) order.push_back(c);
    };
    for (size_t p = 0; p < choice_.size(); ++p) {
      if (choice_[p] == kNone) continue;
      for (const Need& need : universe_.at(p, choice_[p]).needs) {
        if (need.package != package) continue;
        for (const size_t c : need.prefers) add(c);
      }
    }
    const auto& candidates = universe_.packages[package].candidates;
    // A package built for a framework is best built with exactly its CUDA.
    for (size_t p = 0; p < choice_.size() && universe_.packages[package].role == PackageRole::kToolkit; ++p) {
      const Candidate* chosen = choice_[p] == kNone ? nullptr : &universe_.at(p, choice_[p]);
      if (chosen == nullptr || chosen->row == nullptr || chosen->row->cuda.empty()) continue;
      const base::Version cuda = knowledge::MinorOf(knowledge::Known(chosen->row->cuda));
      for (size_t c = 0; c < candidates.size(); ++c) {
        if (knowledge::MinorOf(candidates[c].number) == cuda) add(c);
      }
    }
    for (size_t c = 0; c < candidates.size(); ++c) add(c);
    return order;
  }

  const Universe& universe_;
  const Demands& asked_;
  Narrowed narrowed_;
  std::unique_ptr<Pool> pool_;
  size_t pooled_ = 0, tightened_ = 0;  // candidates in the pool; roots that are narrowed by
  std::vector<Root> roots_;
  Choice choice_;
};

}  // namespace

bool CanChoose(const Universe& universe, const Demands& asked) {
  const Narrowed narrowed = Narrow(universe, asked);
  if (narrowed.empty != kNone) return false;
  return Pool(universe, narrowed, asked.ignored).Install(asked.roots).has_value();
}

bool CanChoose(const Universe& universe) {
  return CanChoose(universe, {.roots = universe.roots, .wants = universe.wants});
}

std::optional<Choice> Choose(const Universe& universe, const Demands& asked, size_t first) {
  for (const Before before : {Before::kNo, Before::kYes}) {
    Narrowed narrowed = Narrow(universe, asked, before);
    if (narrowed.empty != kNone) continue;
    auto pool = std::make_unique<Pool>(universe, narrowed, asked.ignored);
    auto any = pool->Install(asked.roots);
    if (any)
      return Chooser(universe, asked, std::move(narrowed), std::move(pool), *std::move(any)).Run(first);
  }
  return std::nullopt;
}

std::optional<Choice> Choose(const Universe& universe) {
  return Choose(universe, {.roots = universe.roots, .wants = universe.wants});
}

}  // namespace culprit::plan
