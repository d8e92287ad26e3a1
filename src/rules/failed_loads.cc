#include "rules/failed_loads.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/text.h"
#include "rules/load_facts.h"

namespace culprit::rules {
namespace {

using base::BaseName;
using base::DirName;
using loader::Attempt;
using loader::Outcome;
using loader::Request;

const Attempt* FindOutcome(const Request& request, std::initializer_list<Outcome> outcomes) {
  for (const Attempt& attempt : request.attempts) {
    if (std::ranges::find(outcomes, attempt.outcome) != outcomes.end()) return &attempt;
  }
  return nullptr;
}

// The reasons that the search itself shows, from the most telling one on.
bool ExplainBySearch(const Request& request, FailedLoad& failed) {
  if (request.uncertain || FindOutcome(request, {Outcome::kNotRecorded}) != nullptr) {
    failed.why = Why::kUncertain;
    return true;
  }
  if (request.error.find("version `") != std::string::npos) {
    failed.why = Why::kVersionMissing;
    return true;
  }
  if (const Attempt* found = FindOutcome(request, {Outcome::kFound})) {
    failed.why = Why::kBelow;
    failed.file = found->path;
    return true;
  }
  static constexpr std::pair<Outcome, Why> kReasons[] = {
      {Outcome::kEmptyFile, Why::kEmptyFile},       {Outcome::kTruncated, Why::kTruncated},
      {Outcome::kTooShort, Why::kTruncated},        {Outcome::kNotElf, Why::kNotALibrary},
      {Outcome::kUnusable, Why::kUnusable},         {Outcome::kBadHeader, Why::kUnusable},
      {Outcome::kIsDirectory, Why::kUnusable},      {Outcome::kIoError, Why::kUnusable},
      {Outcome::kDanglingLink, Why::kDanglingLink}, {Outcome::kLinkLoop, Why::kLinkLoop},
      {Outcome::kNotReadable, Why::kNotReadable},   {Outcome::kWrongClass, Why::kWrongBits},
      {Outcome::kWrongMachine, Why::kWrongCpu}};
  for (const auto& [outcome, why] : kReasons) {
    const Attempt* attempt = FindOutcome(request, {outcome});
    if (attempt == nullptr) continue;
    failed.why = why;
    failed.file = attempt->path;
    if (attempt->detail.find("executable stack") != std::string::npos) failed.why = Why::kExecutableStack;
    return true;
  }
  for (const Attempt& attempt : request.attempts) {
    if (attempt.via != loader::Via::kCache || attempt.outcome != Outcome::kMissing) continue;
    failed.why = Why::kStaleCache;
    failed.file = attempt.path;
    return true;
  }
  return false;
}

// Looks for copies; directories and names are asked for once.
class Copies {
 public:
  explicit Copies(const Scene& scene) : scene_(scene) {}

  // Copies that the process could load, in directories of real libraries: a stub serves the linker alone.
  std::vector<loader::LibraryCopy> Find(const loader::Scenario& scenario, const std::string& name) {
    LookUpDirectories();
    auto [place, fresh] = found_.try_emplace(name);
    if (fresh) place->second = loader::FindCopies(*directories_, scene_.view, name);
    const snapshot::LoaderFacts* loader = scene_.snapshot.FindLoader(scenario.graph.interpreter);
    std::vector<loader::LibraryCopy> usable;
    for (const loader::LibraryCopy& copy : place->second) {
      const snapshot::FileFacts& facts = scene_.view.Open(copy.path);
      if (copy.path.find("/stubs/") != std::string::npos || facts.elf == nullptr) continue;
      if (facts.elf->problem != binfmt::ElfProblem::kNone || !facts.elf->complete()) continue;
      if (loader != nullptr && (facts.elf->machine != loader->machine || facts.elf->bits() != loader->bits))
        continue;
      usable.push_back(copy);
    }
    return usable;
  }

  const std::vector<std::string>& unlisted() const { return unlisted_; }

 private:
  void LookUpDirectories() {
    if (directories_) return;
    directories_ = loader::LibraryDirectories(scene_.snapshot, scene_.view);
    for (const std::string& directory : *directories_) {
      if (!scene_.view.List(directory)) unlisted_.push_back(directory);
    }
  }

  const Scene& scene_;
  std::vector<std::string> unlisted_;
  std::optional<std::vector<std::string>> directories_;
  std::map<std::string, std::vector<loader::LibraryCopy>> found_;
};

bool InCachedDirectory(const Scene& scene, const std::string& path) {
  if (!scene.snapshot.ld_cache) return false;
  const std::string_view directory = DirName(path);
  return std::ranges::any_of(scene.snapshot.ld_cache->entries,
                             [&](const auto& entry) { return DirName(entry.path) == directory; });
}

void ExplainByCopies(const Scene& scene, Copies& copies, FailedLoad& failed) {
  const std::string& name = failed.request->name;
  if (name.find('/') != std::string::npos) return;
  for (loader::LibraryCopy& copy : copies.Find(*failed.scenario, name)) {
    if (BaseName(copy.path) == name && InCachedDirectory(scene, copy.path)) {
      failed.why = Why::kNotCached;
      failed.file = copy.path;
      return;
    }
    failed.why = Why::kElsewhere;
    failed.copies.push_back(std::move(copy));
  }
  failed.unlisted = copies.unlisted();
  if (!failed.copies.empty() || failed.library == nullptr) return;
  failed.copies = copies.Find(*failed.scenario, "lib" + std::string(failed.library->name) + ".so");
  if (!failed.copies.empty()) failed.why = Why::kOtherMajor;
}

std::vector<FailedLoad> FindFailedLoads(const Scene& scene) {
  std::vector<FailedLoad> all;
  Copies copies(scene);
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (scenario.kind == loader::Scenario::Kind::kAnyProgram) continue;
    for (const Request& request : scenario.graph.requests) {
      if (request.error.empty() || request.optional || request.alternative) continue;
      if (request.opened_by == loader::OpenedBy::kPreload) continue;
      FailedLoad failed{.scenario = &scenario,
                        .request = &request,
                        .library = knowledge::FindLibrary(BaseName(request.name))};
      if (failed.library != nullptr && failed.library->family == "driver") continue;
      failed.asker = request.requester != loader::kNone && request.requester_path.empty()
                         ? scenario.graph.objects[request.requester].path
                         : request.requester_path;
      if (failed.asker.empty()) failed.asker = scenario.title;
      if (!ExplainBySearch(request, failed)) ExplainByCopies(scene, copies, failed);
      all.push_back(std::move(failed));
    }
  }
  return all;
}

}  // namespace

const std::vector<FailedLoad>& FailedLoads(const Scene& scene) {
  if (scene.failed_loads == nullptr) {
    scene.failed_loads = std::make_shared<const std::vector<FailedLoad>>(FindFailedLoads(scene));
  }
  return *scene.failed_loads;
}

report::Finding& Fire(Ruling& ruling, const FailedLoad& failed, std::string summary, std::string subject) {
  report::Finding& finding = ruling.Fire(std::move(summary), std::move(subject));
  finding.affects.push_back(failed.scenario->title);
  const bool needed = failed.request->opened_by == loader::OpenedBy::kNeeded;
  finding.evidence.push_back(
      {failed.asker + (needed ? " needs " : " opens ") + failed.request->name,
       needed ? "DT_NEEDED of " + failed.asker : "data/libraries.toml and the steps of the import"});
  finding.evidence.push_back({failed.request->error, "the loader's words, from its model"});
  for (const std::string& directory : failed.unlisted) {
    finding.evidence.push_back(
        {"whether a copy is in " + directory + " is not known: it cannot be listed", directory});
  }
  return finding;
}

void NoteUncertain(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kUncertain) continue;
    ruling.NotEnoughFacts(failed.request->name + " of " + failed.scenario->title,
                          "something on the way of the search was not recorded");
  }
}

}  // namespace culprit::rules
