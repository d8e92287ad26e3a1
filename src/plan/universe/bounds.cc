#include "plan/universe/bounds.h"

#include <algorithm>
#include <map>

#include "knowledge/arch.h"
#include "knowledge/packages/release.h"
#include "plan/universe/exclusions.h"
#include "plan/universe/making.h"

namespace culprit::plan {
namespace {

using report::Bound;

constexpr size_t kMostReasons = 4;  // for newer releases

std::string NameOf(const Universe& universe, const Choice& choice, size_t package) {
  const Candidate& chosen = universe.at(package, choice[package]);
  return (chosen.distribution.empty() ? universe.packages[package].name : chosen.distribution) + " " +
         chosen.version;
}

// "; this host has 550.54.14"
std::string Here(const Question& question, const Universe& universe, const Choice& choice, const Need& need) {
  const Package& needed = universe.packages[need.package];
  if (needed.name != "driver") return "";
  if (!question.host.driver) return "";
  const Candidate& driver = universe.at(need.package, choice[need.package]);
  const bool stays = driver.number == *question.host.driver;
  return stays ? "; this host has " + driver.version
               : "; this host has " + universe.at(need.package, 0).version + ", " + driver.version +
                     " is planned";
}

void Add(std::vector<Bound>& bounds, Bound bound) {
  if (std::ranges::find(bounds, bound) == bounds.end()) bounds.push_back(std::move(bound));
}

// Bounds of a host's part are those of the packages that need it.
void AddFromOthers(const Question& question, const Universe& universe, const Choice& choice, size_t package,
                   std::vector<Bound>& bounds) {
  for (size_t p = 0; p < choice.size(); ++p) {
    if (choice[p] == kNone || universe.packages[p].role == PackageRole::kNone) continue;
    for (const Need& need : universe.at(p, choice[p]).needs) {
      if (need.package != package || need.words.empty()) continue;
      Add(bounds,
          {.text = NameOf(universe, choice, p) + ": " + need.words + Here(question, universe, choice, need),
           .source = need.source,
           .asked_for = need.requirement});
    }
  }
}

void AddNewer(const Universe& universe, const Narrowed& narrowed, const Choice& choice, size_t package,
              std::vector<Bound>& bounds) {
  const auto& candidates = universe.packages[package].candidates;
  const base::Version& have = candidates[choice[package]].number;
  std::vector<size_t> newer, left;
  for (size_t c = 0; c < candidates.size(); ++c) {
    if (!(candidates[c].number > have)) continue;
    (narrowed.left[package][c] ? left : newer).push_back(c);
  }
  // The nearest newer ones first: these decide.
  std::vector<Group> groups = GroupExclusions(universe, narrowed, package, newer);
  std::ranges::reverse(groups);
  for (size_t i = 0; i < std::min(groups.size(), kMostReasons); ++i) {
    Add(bounds,
        {RangeWords(universe, package, groups[i].candidates) + ": " + groups[i].text, groups[i].source});
  }
  if (!left.empty()) Add(bounds, {RangeWords(universe, package, left) + ": does not work with the rest", ""});
}

// Newer drivers give up old GPUs: how far an upgrade may go.
void AddLastBranches(const Question& question, const Candidate& driver, std::vector<Bound>& bounds) {
  if (question.host.driver && driver.number == *question.host.driver) return;
  for (const base::Version& gpu : question.host.gpus) {
    const knowledge::Capability* row = knowledge::FindCapability(gpu);
    if (row == nullptr || row->last_driver_branch == 0) continue;
    Add(bounds,
        {"branch " + std::to_string(row->last_driver_branch) + " is the last that supports " + GpuName(gpu),
         std::string(row->source)});
  }
}

}  // namespace

std::vector<Bound> BoundsOf(const Question& question, const Universe& universe, const Narrowed& narrowed,
                            const Choice& choice, size_t package) {
  std::vector<Bound> bounds;
  const PackageRole role = universe.packages[package].role;
  if (role == PackageRole::kDriver || role == PackageRole::kPython || role == PackageRole::kLibrary) {
    AddFromOthers(question, universe, choice, package, bounds);
  }
  const Candidate& chosen = universe.at(package, choice[package]);
  if (role == PackageRole::kDriver) AddLastBranches(question, chosen, bounds);
  if (role != PackageRole::kPython) {
    for (const Need& need : chosen.needs) {
      if (need.words.empty()) continue;
      Add(bounds, {.text = need.words + Here(question, universe, choice, need),
                   .source = need.source,
                   .asks_for = need.requirement});
    }
  }
  if (chosen.row != nullptr && !chosen.native && question.host.driver && !chosen.row->cuda.empty()) {
    Add(bounds, {"CUDA " + std::string(chosen.row->cuda) +
                     " is newer than the driver: it runs through minor-version compatibility, without PTX",
                 chosen.source});
  }
  if (role == PackageRole::kFramework || role == PackageRole::kCompanion || role == PackageRole::kCudnn ||
      role == PackageRole::kToolkit) {
    AddNewer(universe, narrowed, choice, package, bounds);
  }
  return bounds;
}

void AddNotes(const Question& question, const Universe& universe, const Narrowed& narrowed,
              const Choice& choice, std::vector<std::string>& notes) {
  for (const size_t want : universe.wants) {
    if (choice[want] == kNone) continue;
    const auto& candidates = universe.packages[want].candidates;
    const Candidate& chosen = candidates[choice[want]];
    std::vector<size_t> newer;
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (candidates[c].number > chosen.number) newer.push_back(c);
    }
    for (const Group& group : GroupExclusions(universe, narrowed, want, newer)) {
      if (group.missing) {
        notes.push_back(RangeWords(universe, want, group.candidates) +
                        ": newer, and not in the tables; PyTorch's index shows whether such a build exists");
      }
      if (!group.unknown) continue;
      notes.push_back(RangeWords(universe, want, group.candidates) +
                      (group.candidates.size() > 1 ? " are newer; " : " is newer; ") + group.text +
                      ": --allow unknown permits it");
    }
  }
  std::map<std::string, std::string> remarks;  // and who they are about
  for (size_t p = 0; p < choice.size(); ++p) {
    if (choice[p] == kNone) continue;
    const Candidate& chosen = universe.at(p, choice[p]);
    if (!chosen.remark.empty()) {
      std::string& names = remarks[chosen.remark];
      names += (names.empty() ? "" : ", ") + NameOf(universe, choice, p);
    }
    for (const Need& need : chosen.needs) {
      if (need.unknown && question.allow_unknown && !need.fails.empty())
        notes.push_back(NameOf(universe, choice, p) + ": " + need.fails);
    }
  }
  for (const auto& [remark, names] : remarks) notes.push_back(names + ": " + remark);
}

}  // namespace culprit::plan
