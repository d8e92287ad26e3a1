#include "plan/conflict/relax.h"

#include <algorithm>
#include <optional>

#include "knowledge/arch.h"
#include "knowledge/driver.h"
#include "knowledge/packages/release.h"
#include "plan/answer.h"
#include "plan/choose.h"
#include "plan/universe/making.h"
#include "plan/universe/universe.h"

namespace culprit::plan {
namespace {

using report::PlannedPackage;
using report::Relaxation;
using Kind = Requirement::Kind;

// NVIDIA's list of its wheels for Jetson, by release of JetPack.
constexpr std::string_view kJetsonWheels = "https://forums.developer.nvidia.com/t/pytorch-for-jetson/72048";

// Capabilities that only GPUs for data centers have; nothing where there are others too.
std::optional<bool> HasDataCentreGpus(const Host& host) {
  const base::Version only[] = {{{8, 0}}, {{9, 0}}, {{10, 0}}, {{10, 3}}};
  if (host.gpus.empty()) return std::nullopt;
  const bool all = std::ranges::all_of(
      host.gpus, [&](const base::Version& gpu) { return std::ranges::find(only, gpu) != std::end(only); });
  return all ? std::optional(true) : std::nullopt;
}

class Relaxing {
 public:
  Relaxing(const Question& question, const std::vector<Requirement>& smallest, BuildTable& builds)
      : question_(question), smallest_(smallest), builds_(builds) {}

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
    if (!question_.allow_unknown) Unknown();
    // Two requirements may be about one package.
    for (Relaxation& one : found_) {
      std::vector<PlannedPackage> each;
      for (PlannedPackage& package : one.gives) {
        if (std::ranges::find(each, package) == each.end()) each.push_back(std::move(package));
      }
      one.gives = std::move(each);
    }
    return std::move(found_);
  }

 private:
  bool Blames(Kind kind) const {
    return std::ranges::any_of(smallest_, [&](const Requirement& one) { return one.kind == kind; });
  }

  // The wanted packages of a solution; nothing when there is none.
  std::optional<std::vector<PlannedPackage>> Try(const Question& question) {
    const Universe universe = MakeUniverse(question, builds_);
    const auto choice = Choose(universe);
    if (!choice) return std::nullopt;
    return WantedOf(universe, *choice);
  }

  void NewerDriver() {
    Question newer = question_;
    newer.allow_driver_upgrade = true;
    const Universe universe = MakeUniverse(newer, builds_);
    size_t driver = kNone;
    for (size_t p = 0; p < universe.packages.size(); ++p) {
      if (universe.packages[p].name == "driver") driver = p;
    }
    const auto choice = Choose(universe, {.driver_first = driver});
    if (!choice) return;
    found_.push_back({"works with driver >= " + universe.at(driver, (*choice)[driver]).version +
                          LastBranchWords(question_.host.gpus),
                      "--allow driver-upgrade", WantedOf(universe, *choice)});
  }

  // The libcuda of a newer driver on the kernel module that is here, where the lowest CUDA will do.
  void CompatPackage() {
    const Host& host = question_.host;
    if (!host.driver || host.wsl) return;
    const auto platform = PlatformOf(host.machine);
    for (const knowledge::ForwardCompatRow& row : knowledge::ForwardCompats()) {
      const knowledge::Answer answer =
          knowledge::ForwardCompat(*host.driver, row.cuda, HasDataCentreGpus(host), platform);
      const std::string_view driver = knowledge::LowestDriver(row.cuda, platform);
      if (answer.verdict == knowledge::Verdict::kNo || driver.empty()) continue;
      Question newer = question_;
      newer.host.driver = knowledge::Known(driver);
      newer.host.seen = false;
      const auto gives = Try(newer);
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
    const Universe asked = MakeUniverse(question_, builds_);
    for (const Requirement& one : smallest_) {
      if (one.kind != Kind::kWant || question_.wants[one.index].specifiers.empty()) continue;
      Question freer = question_;
      freer.wants[one.index].specifiers.clear();
      const auto gives = Try(freer);
      if (!gives || one.index >= gives->size()) continue;
      const PlannedPackage& other = (*gives)[one.index];
      const std::string plain = other.version.substr(0, other.version.find('+'));
      // It is the newest that fits; where newer ones were asked for, that is an upper bound.
      const Root& root = asked.roots[one.index];
      const bool below = !root.accepts.empty() && std::ranges::all_of(root.accepts, [&](size_t accepted) {
        return asked.at(root.package, accepted).number > NumberOf(plain);
      });
      found_.push_back({"works with " + other.name + (below ? " <= " : " ") + other.version,
                        other.name + "==" + plain, *gives});
    }
  }

  // Where no single change helps: the same packages, in whichever versions work.
  void OtherSet() {
    const bool pinned =
        std::ranges::any_of(question_.wants, [](const Want& want) { return !want.specifiers.empty(); });
    if (!pinned && question_.limits.empty()) return;
    Question free = question_;
    for (Want& want : free.wants) want.specifiers.clear();
    std::erase_if(free.limits, [](const Limit& limit) { return limit.package != "python"; });
    if (const auto gives = Try(free))
      found_.push_back({"works with other versions than those asked for", "", *gives});
  }

  // jax[cuda12] where jax[cuda13] was asked for.
  void OtherExtras() {
    for (const Requirement& one : smallest_) {
      if (one.kind != Kind::kWant || !question_.wants[one.index].extra.starts_with("cuda")) continue;
      Question freer = question_;
      freer.wants[one.index].extra.clear();
      const auto gives = Try(freer);
      if (!gives || one.index >= gives->size()) continue;
      const PlannedPackage& other = (*gives)[one.index];
      const std::string name = other.name + (other.extra.empty() ? "" : "[" + other.extra + "]");
      found_.push_back({"works with " + name + " " + other.version, name, *gives});
    }
  }

  void OtherPython() {
    Question any = question_;
    any.host.python.reset();
    any.host.python_here.reset();
    const Universe universe = MakeUniverse(any, builds_);
    std::vector<base::Version> fitting;
    for (size_t p = 0; p < universe.packages.size(); ++p) {
      if (universe.packages[p].name != "python") continue;
      for (size_t c = 0; c < universe.packages[p].candidates.size(); ++c) {
        std::vector<Root> roots = universe.roots;
        roots.push_back({p, {c}, ""});
        if (CanChoose(universe, roots)) fitting.push_back(universe.at(p, c).number);
      }
    }
    std::ranges::sort(fitting);
    if (fitting.empty()) return;
    Question newest = question_;
    newest.host.python = fitting.back();
    const auto gives = Try(newest);
    if (!gives) return;
    found_.push_back(
        {"works with Python " + PythonRange(fitting), "--python " + fitting.back().ToString(), *gives});
  }

  void Dropped(Kind kind, const std::string& text, const std::string& option) {
    for (const Requirement& one : smallest_) {
      if (one.kind != kind) continue;
      const auto gives = Try(Without(question_, {one}).front());
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
      auto gives = Try(Without(question_, {*at}).front());
      if (!gives) continue;
      Question alone = question_;
      alone.wants = {question_.wants[at->index]};
      const bool twice = std::ranges::count(question_.wants, alone.wants[0].name, &Want::name) > 1;
      const auto other = twice ? std::nullopt : Try(alone);
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
    if (const auto gives = Try(linux)) found_.push_back({"works in WSL 2", "", *gives});
  }

  // The GPUs of these modules run what NVIDIA builds for JetPack.
  void Jetson() {
    const bool jetson = std::ranges::any_of(question_.host.gpus, [](const base::Version& gpu) {
      const knowledge::Capability* row = knowledge::FindCapability(gpu);
      return row != nullptr && row->jetson;
    });
    if (!jetson) return;
    found_.push_back(
        {"a Jetson takes the wheels that NVIDIA builds for its JetPack, which the tables do not have",
         std::string(kJetsonWheels),
         {}});
  }

  void Unknown() {
    Question bold = question_;
    bold.allow_unknown = true;
    if (const auto gives = Try(bold)) {
      found_.push_back(
          {"may work with builds whose requirements are not fully known", "--allow unknown", *gives});
    }
  }

  const Question& question_;
  const std::vector<Requirement>& smallest_;
  BuildTable& builds_;
  std::vector<Relaxation> found_;
};

}  // namespace

std::vector<Relaxation> RelaxationsOf(const Question& question, const std::vector<Requirement>& smallest,
                                      BuildTable& builds) {
  return Relaxing(question, smallest, builds).Run();
}

}  // namespace culprit::plan
