#include "plan/conflict/relax.h"

#include <algorithm>
#include <optional>

#include "knowledge/arch.h"
#include "knowledge/driver.h"
#include "knowledge/packages/release.h"
#include "plan/answer.h"
#include "plan/choose.h"
#include "plan/commands/in_order.h"
#include "plan/universe/making.h"
#include "plan/universe/universe.h"

namespace culprit::plan {
namespace {

using report::PlannedPackage;
using report::Relaxation;
using Kind = Requirement::Kind;

// NVIDIA's list of its wheels for Jetson, by release of JetPack.
constexpr std::string_view kJetsonWheels = "https://forums.developer.nvidia.com/t/pytorch-for-jetson/72048";

class Relaxing {
 public:
  Relaxing(Trials& trials, const std::vector<Requirement>& smallest, const Gives& unknown)
      : trials_(trials), question_(trials.question()), smallest_(smallest), unknown_(unknown) {}

  std::vector<Relaxation> Run() {
    if (Blames(Kind::kDriver)) NewerDriver();
    if (Blames(Kind::kDriver)) CompatPackage();
    OtherVersions();
    OtherExtras();
    if (Blames(Kind::kPython)) OtherPython();
    Dropped(Kind::kCuda,
            question_.cuda_words.empty() ? "works without --cuda" : "works without " + question_.cuda_words,
            "");
    Dropped(Kind::kLimit, "works without ", "");
    Dropped(Kind::kKeep, "works if this may change: ", "");
    if (question_.host.gpus.size() > 1) Dropped(Kind::kGpu, "works without ", "CUDA_VISIBLE_DEVICES");
    OtherEnvironment();
    if (Blames(Kind::kMachine) && question_.host.machine == Machine::kWindows) InWsl();
    if (found_.empty()) OtherSet();
    if (Blames(Kind::kGpu) || Blames(Kind::kMachine)) Jetson();
    if (unknown_) {
      found_.push_back(
          {"may work with builds whose requirements are not fully known", "--allow unknown", *unknown_});
    }
    // Two requirements may be about one package.
    for (Relaxation& one : found_) {
      std::vector<PlannedPackage> each;
      for (PlannedPackage& package : one.gives) {
        if (std::ranges::find(each, package) == each.end()) each.push_back(std::move(package));
      }
      // First what the conflict is about, then the frameworks.
      const auto rank = [&](const PlannedPackage& package) {
        return IsBlamed(package) ? 0 : package.role == report::PackageRole::kFramework ? 1 : 2;
      };
      SortInOrder(each, [&](const PlannedPackage& a, const PlannedPackage& b) { return rank(a) < rank(b); });
      one.gives = std::move(each);
    }
    return std::move(found_);
  }

 private:
  bool IsBlamed(const PlannedPackage& package) const {
    return std::ranges::any_of(smallest_, [&](const Requirement& one) {
      return one.kind == Kind::kWant && TableName(package.name) == question_.wants[one.index].name;
    });
  }
  bool Blames(Kind kind) const {
    return std::ranges::any_of(smallest_, [&](const Requirement& one) { return one.kind == kind; });
  }

  // What is asked, with one candidate or more of a fact in place of what is here.
  Demands With(size_t fact, std::vector<size_t> accepts) {
    Demands asked = trials_.Without({});
    std::erase_if(asked.bounds, [&](const Root& bound) { return bound.package == fact; });
    asked.bounds.push_back({.package = fact, .accepts = std::move(accepts)});
    return asked;
  }
  // ... with a want in place of one of the question.
  static void Replace(const Want& want, size_t index, const Universe& universe, Demands& asked) {
    for (Root& root : asked.roots) {
      if (root.of == Kind::kWant && root.index == index)
        root.accepts = FittingTo(want, universe.packages[root.package].candidates);
    }
  }

  void NewerDriver() {
    const Universe& universe = trials_.universe();
    const size_t driver = universe.facts.driver;
    std::vector<size_t> accepts;
    for (size_t i = universe.facts.driver_here; i < universe.packages[driver].candidates.size(); ++i)
      accepts.push_back(i);
    Demands newer = With(driver, std::move(accepts));
    newer.any_driver = true;
    const auto choice = Choose(universe, newer, driver);
    if (!choice) return;
    found_.push_back({"works with driver >= " + universe.at(driver, (*choice)[driver]).version +
                          LastBranchWords(question_.host.gpus),
                      "--allow driver-upgrade", WantedOf(universe, newer.wants, *choice)});
  }

  // The libcuda of a newer driver on the kernel module that is here, where the lowest CUDA will do.
  void CompatPackage() {
    const Host& host = question_.host;
    if (!host.driver || host.wsl) return;
    const auto platform = PlatformOf(host.machine);
    for (const knowledge::ForwardCompatRow& row : knowledge::ForwardCompats()) {
      const knowledge::Answer answer =
          knowledge::ForwardCompat(*host.driver, row.cuda, knowledge::AreDataCentreGpus(host.gpus), platform);
      const std::string_view driver = knowledge::LowestDriver(row.cuda, platform);
      if (answer.verdict == knowledge::Verdict::kNo || driver.empty()) continue;
      const Universe& universe = trials_.universe();
      const auto& drivers = universe.packages[universe.facts.driver].candidates;
      const auto at = std::ranges::find(drivers, knowledge::Known(driver), &Candidate::number);
      if (at == drivers.end()) continue;
      Demands newer = With(universe.facts.driver, {static_cast<size_t>(at - drivers.begin())});
      newer.any_driver = true;
      const auto gives = trials_.Gives(newer);
      if (!gives) continue;
      std::string package = "cuda-compat-" + std::string(row.cuda);
      std::ranges::replace(package, '.', '-');
      const bool sure = answer.verdict == knowledge::Verdict::kYes;
      found_.push_back({"works with " + package + " and /usr/local/cuda-" + std::string(row.cuda) +
                            "/compat in LD_LIBRARY_PATH" + (sure ? "" : ", if the GPU is a data-center GPU"),
                        "sudo apt-get install " + package, *gives});
      return;
    }
  }

  // One wanted package in another version than asked for.
  void OtherVersions() {
    const Universe& universe = trials_.universe();
    for (const Requirement& one : smallest_) {
      if (one.kind != Kind::kWant || question_.wants[one.index].specifiers.empty()) continue;
      Want want = question_.wants[one.index];
      want.specifiers.clear();
      Demands freer = trials_.Without({});
      Replace(want, one.index, universe, freer);
      const auto gives = trials_.Gives(freer);
      if (!gives || one.index >= gives->size()) continue;
      const PlannedPackage& other = (*gives)[one.index];
      const std::string plain = other.version.substr(0, other.version.find('+'));
      // It is the newest that fits; where newer ones were asked for, that is an upper bound.
      const Root& root = universe.roots[one.index];
      const bool below = !root.accepts.empty() && std::ranges::all_of(root.accepts, [&](size_t accepted) {
        return universe.at(root.package, accepted).number > NumberOf(plain);
      });
      found_.push_back({"works with " + other.name + (below ? " <= " : " ") + other.version,
                        other.name + "==" + plain, *gives});
    }
  }

  // If no single change helps: the same packages, in any versions that work.
  void OtherSet() {
    const bool pinned =
        std::ranges::any_of(question_.wants, [](const Want& want) { return !want.specifiers.empty(); });
    if (!pinned && question_.limits.empty()) return;
    std::vector<Requirement> dropped;
    for (size_t i = 0; i < question_.limits.size(); ++i) {
      if (question_.limits[i].package != "python") dropped.push_back({Kind::kLimit, i, ""});
    }
    Demands free = trials_.Without(dropped);
    for (size_t i = 0; i < question_.wants.size(); ++i) {
      Want want = question_.wants[i];
      want.specifiers.clear();
      Replace(want, i, trials_.universe(), free);
    }
    if (const auto gives = trials_.Gives(free))
      found_.push_back({"works with other versions than the requested ones", "", *gives});
  }

  // jax[cuda12] where jax[cuda13] was asked for.
  void OtherExtras() {
    for (const Requirement& one : smallest_) {
      if (one.kind != Kind::kWant || !question_.wants[one.index].extra.starts_with("cuda")) continue;
      Want want = question_.wants[one.index];
      want.extra.clear();
      Demands freer = trials_.Without({});
      Replace(want, one.index, trials_.universe(), freer);
      const auto gives = trials_.Gives(freer);
      if (!gives || one.index >= gives->size()) continue;
      const PlannedPackage& other = (*gives)[one.index];
      const std::string name = other.name + (other.extra.empty() ? "" : "[" + other.extra + "]");
      found_.push_back({"works with " + name + " " + other.version, name, *gives});
    }
  }

  void OtherPython() {
    const Universe& universe = trials_.universe();
    const size_t python = universe.facts.python;
    const auto& candidates = universe.packages[python].candidates;
    std::vector<size_t> fitting;
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (CanChoose(universe, With(python, {c}))) fitting.push_back(c);
    }
    if (fitting.empty()) return;
    std::ranges::sort(fitting, {}, [&](size_t c) { return candidates[c].number; });
    const auto gives = trials_.Gives(With(python, {fitting.back()}));
    if (!gives) return;
    std::vector<base::Version> rising;
    for (const size_t c : fitting) rising.push_back(candidates[c].number);
    found_.push_back(
        {"works with Python " + PythonRange(rising), "--python " + rising.back().ToString(), *gives});
  }

  void Dropped(Kind kind, const std::string& text, const std::string& option) {
    for (const Requirement& one : smallest_) {
      if (one.kind != kind) continue;
      const auto gives = trials_.Gives(trials_.Without({one}));
      if (!gives) continue;
      const std::string what = kind == Kind::kCuda   ? ""
                               : kind == Kind::kKeep ? question_.keep[one.index]
                                                     : one.words;
      found_.push_back({text + what, option, *gives});
    }
  }

  // One of several wanted packages somewhere else.
  void OtherEnvironment() {
    if (question_.wants.size() < 2) return;
    for (auto at = smallest_.rbegin(); at != smallest_.rend(); ++at) {
      if (at->kind != Kind::kWant) continue;
      auto gives = trials_.Gives(trials_.Without({*at}));
      if (!gives) continue;
      std::vector<Requirement> others;
      for (size_t i = 0; i < question_.wants.size(); ++i) {
        if (i != at->index) others.push_back({Kind::kWant, i, ""});
      }
      // A library alone is useless.
      const size_t package = trials_.universe().wants[at->index];
      const bool library = trials_.universe().packages[package].role == report::PackageRole::kLibrary;
      const bool twice =
          library || std::ranges::count(question_.wants, question_.wants[at->index].name, &Want::name) > 1;
      const auto other = twice ? std::nullopt : trials_.Gives(trials_.Without(others));
      if (other) {
        gives->insert(gives->end(), other->begin(), other->end());
        found_.push_back({"works with " + at->words + " in a separate environment", "", *gives});
      } else {
        found_.push_back({"works without " + at->words, "", *gives});
      }
    }
  }

  void InWsl() {
    Question linux = question_;
    linux.host.machine = Machine::kLinuxX86;
    linux.host.wsl = true;
    const Universe universe = MakeUniverse(linux, trials_.builds());
    if (const auto choice = Choose(universe))
      found_.push_back({"works in WSL 2", "", WantedOf(universe, universe.wants, *choice)});
  }

  // These modules need NVIDIA's JetPack builds.
  void Jetson() {
    const bool jetson = std::ranges::any_of(question_.host.gpus, [](const base::Version& gpu) {
      const knowledge::Capability* row = knowledge::FindCapability(gpu);
      return row != nullptr && row->jetson;
    });
    if (!jetson) return;
    found_.push_back(
        {"a Jetson needs the wheels that NVIDIA builds for its JetPack; they are not in the tables",
         std::string(kJetsonWheels),
         {}});
  }

  Trials& trials_;
  const Question& question_;
  const std::vector<Requirement>& smallest_;
  const Gives& unknown_;
  std::vector<Relaxation> found_;
};

}  // namespace

Gives WithUnknown(Trials& trials) {
  if (trials.question().allow_unknown) return std::nullopt;
  Demands bold = trials.Without({});
  bold.ignored.unknown = true;
  return trials.Gives(bold);
}

bool MayWork(Trials& trials) {
  Demands bold = trials.Without({});
  bold.ignored.unknown = bold.ignored.missing = true;
  return CanChoose(trials.universe(), bold);
}

std::vector<Relaxation> RelaxationsOf(Trials& trials, const std::vector<Requirement>& smallest,
                                      const Gives& unknown) {
  return Relaxing(trials, smallest, unknown).Run();
}

}  // namespace culprit::plan
