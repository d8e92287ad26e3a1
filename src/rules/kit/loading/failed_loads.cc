#include "rules/kit/loading/failed_loads.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/text.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/loading/gpu_loads.h"
#include "rules/kit/loading/other_places.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules {
namespace {

using base::BaseName;
using base::DirName;
using loader::Attempt;
using loader::Outcome;
using loader::Request;

// Windows error codes for a missing function: from LoadLibrary, and at program start.
constexpr uint32_t kProcedureNotFound = 127;
constexpr uint32_t kInvalidOrdinal = 182;
constexpr uint32_t kEntryPointNotFound = 0xC0000139;

const Attempt* FindOutcome(const Request& request, std::initializer_list<Outcome> outcomes) {
  for (const Attempt& attempt : request.attempts) {
    if (std::ranges::find(outcomes, attempt.outcome) != outcomes.end()) return &attempt;
  }
  return nullptr;
}

// Reasons that the search itself shows, most specific first.
bool ExplainBySearch(const Scene& scene, const Request& request, FailedLoad& failed) {
  if (request.uncertain || FindOutcome(request, {Outcome::kNotRecorded}) != nullptr) {
    failed.why = Why::kUncertain;
    return true;
  }
  if (request.code == kProcedureNotFound || request.code == kInvalidOrdinal ||
      request.code == kEntryPointNotFound) {
    failed.why = Why::kFunctionMissing;
    return true;
  }
  if (request.missing_version) {
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
      {Outcome::kUnusable, Why::kUnusable},         {Outcome::kBadHeader, Why::kNotALibrary},
      {Outcome::kIsDirectory, Why::kUnusable},      {Outcome::kIoError, Why::kUnusable},
      {Outcome::kDanglingLink, Why::kDanglingLink}, {Outcome::kLinkLoop, Why::kLinkLoop},
      {Outcome::kNotReadable, Why::kNotReadable},   {Outcome::kWrongClass, Why::kWrongBits},
      {Outcome::kWrongMachine, Why::kWrongCpu},     {Outcome::kNotPe, Why::kNotALibrary}};
  for (const auto& [outcome, why] : kReasons) {
    const Attempt* attempt = FindOutcome(request, {outcome});
    if (attempt == nullptr) continue;
    failed.why = why;
    failed.file = attempt->path;
    if (attempt->executable_stack) failed.why = Why::kExecutableStack;
    return true;
  }
  for (const Attempt& attempt : request.attempts) {
    if (attempt.via != loader::Via::kCache || attempt.outcome != Outcome::kMissing) continue;
    // If the library itself is still there, only the symlink is gone.
    failed.why = LinkTarget(scene, attempt.path).empty() ? Why::kStaleCache : Why::kLinkMissing;
    failed.file = attempt.path;
    return true;
  }
  return false;
}

// Looks for copies; each directory and name is looked up once.
class Copies {
 public:
  explicit Copies(const Scene& scene) : scene_(scene) {}

  // Copies that the process could load. Stubs are for the linker and do not count.
  std::vector<loader::LibraryCopy> Find(const loader::Scenario& scenario, const std::string& name) {
    LookUpDirectories();
    auto [place, fresh] = found_.try_emplace({name, &scenario});
    if (fresh) {
      std::vector<std::string> directories = *directories_;
      for (const auto& more : {OwnDirectories(scene_, scenario), InsteadOfMissing(scene_, scenario)})
        directories.insert(directories.end(), more.begin(), more.end());
      place->second = loader::FindCopies(directories, scene_.view, name);
    }
    const snapshot::LoaderFacts* loader = scene_.snapshot.FindLoader(scenario.graph.interpreter);
    const int bits = ProcessBits(scenario);
    std::vector<loader::LibraryCopy> usable;
    for (const loader::LibraryCopy& copy : place->second) {
      const snapshot::FileFacts& facts = scene_.view.Open(copy.path);
      const bool serves = scene_.OnWindows() ? IsUsableDll(facts, bits) : IsUsableElf(facts, loader);
      if (serves && copy.path.find("/stubs/") == std::string::npos) usable.push_back(copy);
    }
    return usable;
  }

  // Copies of other major versions.
  std::vector<loader::LibraryCopy> FindOthers(const loader::Scenario& scenario,
                                              const knowledge::Library& library) {
    if (!scene_.OnWindows()) return Find(scenario, "lib" + std::string(library.name) + ".so");
    std::vector<loader::LibraryCopy> others;
    for (const knowledge::Library& row : knowledge::Libraries()) {
      if (row.name != library.name) continue;
      for (const std::string_view dll : row.dlls) {
        const auto copies = Find(scenario, std::string(dll));
        others.insert(others.end(), copies.begin(), copies.end());
      }
    }
    return others;
  }

  const std::vector<std::string>& unlisted() const { return unlisted_; }

 private:
  static bool IsUsableElf(const snapshot::FileFacts& facts, const snapshot::LoaderFacts* loader) {
    if (facts.elf == nullptr || facts.elf->problem != binfmt::ElfProblem::kNone || !facts.elf->complete()) {
      return false;
    }
    return loader == nullptr || (facts.elf->machine == loader->machine && facts.elf->bits() == loader->bits);
  }
  static bool IsUsableDll(const snapshot::FileFacts& facts, int bits) {
    return facts.pe != nullptr && facts.pe->problem == binfmt::PeProblem::kNone && facts.pe->complete() &&
           facts.pe->bits == bits;
  }
  // Of a Windows process.
  static int ProcessBits(const loader::Scenario& scenario) {
    if (scenario.graph.objects.empty()) return 64;
    const auto& program = scenario.graph.objects.front().pe;
    return program == nullptr || program->bits == 0 ? 64 : program->bits;
  }

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
  std::map<std::pair<std::string, const loader::Scenario*>, std::vector<loader::LibraryCopy>> found_;
};

// Whether ldconfig puts into the cache what lies there. It does not list a directory that was empty, or not
// in ld.so.conf yet, when it ran.
bool InCachedDirectory(const Scene& scene, const std::string& path) {
  if (!scene.snapshot.ld_cache) return false;
  const std::string_view directory = DirName(path);
  if (scene.snapshot.ld_so_conf &&
      std::ranges::find(*scene.snapshot.ld_so_conf, directory) != scene.snapshot.ld_so_conf->end())
    return true;
  return std::ranges::any_of(scene.snapshot.ld_cache->entries,
                             [&](const auto& entry) { return DirName(entry.path) == directory; });
}

// Was its directory searched, directly or through the cache?
bool IsSearched(const Scene& scene, const Request& request, const std::string& path) {
  if (InCachedDirectory(scene, path)) return true;
  const std::string directory = scene.view.RealPath(std::string(DirName(path)));
  return std::ranges::any_of(request.attempts, [&](const Attempt& attempt) {
    return attempt.path.starts_with('/') &&
           scene.view.RealPath(std::string(DirName(attempt.path))) == directory;
  });
}

// libcublas.so.12.4.5.8 in a searched directory that has no symlink libcublas.so.12.
bool LacksLink(const Scene& scene, const Request& request, const loader::LibraryCopy& copy) {
  if (scene.OnWindows() || !BaseName(copy.path).starts_with(request.name + ".")) return false;
  const auto& elf = scene.view.Open(copy.path).elf;
  return elf != nullptr && elf->soname.value_or("") == request.name && IsSearched(scene, request, copy.path);
}

// A copy in another Python environment, or in another package, does not count: it is missing in this one.
bool BelongsToOthers(const Scene& scene, const loader::Scenario& scenario, const loader::LibraryCopy& copy) {
  const snapshot::PythonEnvironment* own = scene.EnvironmentOf(scenario);
  const auto below = [&](const std::string& directory) { return copy.path.starts_with(directory + "/"); };
  // auditwheel puts there what one package uses, which finds it by its run path.
  if (DirName(copy.path).ends_with(".libs")) return true;
  if (own == nullptr || std::ranges::any_of(own->site_packages, below)) return false;
  return copy.path.find("/site-packages/") != std::string::npos;
}

void ExplainByCopies(const Scene& scene, Copies& copies, FailedLoad& failed) {
  const std::string& name = failed.request->name;
  if (name.find('/') != std::string::npos) return;
  for (const loader::LibraryCopy& copy : copies.Find(*failed.scenario, name)) {
    if (!LacksLink(scene, *failed.request, copy)) continue;
    failed.why = Why::kLinkMissing;
    failed.file = base::JoinPath(DirName(copy.path), name);
    return;
  }
  for (loader::LibraryCopy& copy : copies.Find(*failed.scenario, name)) {
    if (BelongsToOthers(scene, *failed.scenario, copy)) continue;
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
  failed.copies = copies.FindOthers(*failed.scenario, *failed.library);
  std::erase_if(failed.copies, [&](const loader::LibraryCopy& copy) {
    return BelongsToOthers(scene, *failed.scenario, copy);
  });
  if (!failed.copies.empty()) failed.why = Why::kOtherMajor;
}

void Explain(const Scene& scene, Copies& copies, FailedLoad& failed, bool forgiven = false) {
  const bool explained = ExplainBySearch(scene, *failed.request, failed);
  if (!explained && !forgiven) ExplainByCopies(scene, copies, failed);
  if (failed.why == Why::kStaleCache) failed.copies = copies.Find(*failed.scenario, failed.request->name);
}

bool IsOtherWordSize(const Scene& scene, const FailedLoad& failed) {
  const snapshot::FileFacts& facts = scene.view.Open(failed.file);
  return facts.pe != nullptr &&
         (facts.pe->machine == binfmt::kPeMachine386 || facts.pe->machine == binfmt::kPeMachineX64);
}

// An optional library may be missing, and so may a file in a directory that cannot be listed.
bool HarmsOptional(const Scene& scene, const FailedLoad& failed) {
  if (failed.why != Why::kNotReadable) return IsDamage(failed.why);
  const auto items = scene.view.List(scene.view.RealPath(std::string(DirName(failed.file))));
  return items && std::ranges::any_of(*items, [&](const snapshot::DirectoryItem& item) {
           return item.name == BaseName(failed.file);
         });
}

// The file that the dlopen opened to which a request belongs; "" if it was not found or there is none.
std::string OpenedFile(const loader::Scenario& scenario, const Request& request) {
  const auto& requests = scenario.graph.requests;
  auto call = static_cast<size_t>(&request - requests.data());
  while (call > 0 && requests[call].opened_by == loader::OpenedBy::kNeeded) --call;
  const Attempt* found = FindOutcome(requests[call], {Outcome::kFound});
  if (requests[call].opened_by != loader::OpenedBy::kDlopen) return "";
  return found != nullptr ? found->path : requests[call].name.starts_with('/') ? requests[call].name : "";
}

bool IsLoaded(const loader::LoadGraph& graph, const std::string& name) {
  return std::ranges::any_of(graph.objects, [&](const loader::Object& object) {
    return object.name == name || BaseName(object.path) == name ||
           (object.elf != nullptr && object.elf->soname == name);
  });
}

// A dlopen ends at the first library that it does not find. These are the others that it would not find:
// those that the loader misses when it is started for the file alone, and that the program does not find
// either.
void AddNext(const Scene& scene, Copies& copies, const FailedLoad& first, std::vector<FailedLoad>& all) {
  const loader::Scenario& scenario = *first.scenario;
  const std::string file = OpenedFile(scenario, *first.request);
  if (file.empty() || scenario.graph.objects.empty()) return;
  const auto alone = std::make_shared<const loader::LoadGraph>(
      loader::Load(scene.snapshot, scene.view,
                   {.target = file, .interpreter = scenario.graph.interpreter, .known_dlopens = false}));
  loader::Question question{.target = scenario.graph.objects.front().path,
                            .interpreter = scenario.graph.interpreter,
                            .known_dlopens = false};
  for (const Request& request : alone->requests) {
    if (!request.error.empty()) question.calls.push_back({.name = request.name});
  }
  const loader::LoadGraph program = loader::Load(scene.snapshot, scene.view, question);
  for (const Request& request : alone->requests) {
    const auto told = [&](const FailedLoad& other) {
      return other.scenario == first.scenario && other.request->name == request.name;
    };
    if (request.error.empty() || request.optional || request.opened_by != loader::OpenedBy::kNeeded ||
        request.requester == loader::kNone || IsLoaded(scenario.graph, request.name) ||
        IsLoaded(program, request.name) || std::ranges::any_of(all, told))
      continue;
    FailedLoad failed{.scenario = &scenario,
                      .request = &request,
                      .library = knowledge::FindLibrary(BaseName(request.name)),
                      .asker = alone->objects[request.requester].path,
                      .file = {},
                      .copies = {},
                      .unlisted = {},
                      .next = alone};
    if (failed.library != nullptr && failed.library->family == "driver") continue;
    Explain(scene, copies, failed);
    all.push_back(std::move(failed));
  }
}

// `driver`: the failed loads of libraries of the driver. Other rules report these, but what comes after them
// in the same dlopen is missing all the same.
void AddNext(const Scene& scene, Copies& copies, const std::vector<FailedLoad>& driver,
             std::vector<FailedLoad>& all) {
  std::vector<FailedLoad> ends = all;
  ends.insert(ends.end(), driver.begin(), driver.end());
  for (const FailedLoad& first : ends) {
    if (scene.OnWindows() || first.scenario->WasSeen() || first.why == Why::kUncertain ||
        first.request->opened_by != loader::OpenedBy::kNeeded || first.request->requester_path.empty())
      continue;
    AddNext(scene, copies, first, all);
  }
}

std::vector<FailedLoad> FindFailedLoads(const Scene& scene) {
  std::vector<FailedLoad> all, driver;
  Copies copies(scene);
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (scenario.kind == loader::Scenario::Kind::kAnyProgram) continue;
    for (size_t i = 0; i < scenario.graph.requests.size(); ++i) {
      const Request& request = scenario.graph.requests[i];
      if (request.error.empty() || request.alternative) continue;
      if (request.opened_by == loader::OpenedBy::kPreload) continue;
      if (request.optional && IsLoaded(scenario.graph, request.name)) continue;  // another found it
      FailedLoad failed{.scenario = &scenario,
                        .request = &request,
                        .library = knowledge::FindLibrary(BaseName(request.name))};
      failed.redistributable = FindRuntime(scene, request.name);
      if (failed.library != nullptr && failed.library->family == "driver") {
        if (!request.optional && !request.uncertain) driver.push_back(std::move(failed));
        continue;
      }
      failed.asker = request.requester != loader::kNone && request.requester_path.empty()
                         ? scenario.graph.objects[request.requester].path
                         : request.requester_path;
      if (failed.asker.empty()) failed.asker = scenario.title;
      const bool needed = NeededForGpu(scene, failed);
      const bool idle = request.guessed && GpuPresence(scene) == Presence::kNo;
      const bool forgiven = idle || (request.optional && !needed && !LosesGpu(scene, scenario, i));
      // Programs try many names that may be missing, and find files that do not concern culprit.
      if (forgiven && scenario.WasSeen() && failed.library == nullptr) continue;
      Explain(scene, copies, failed, forgiven);
      if (forgiven && !HarmsOptional(scene, failed)) continue;
      if (NobodyLoads(scene, failed)) continue;
      // The loader model reports a 32-bit DLL as wrong machine; this separates bitness from CPU.
      if (failed.why == Why::kWrongCpu && IsOtherWordSize(scene, failed)) failed.why = Why::kWrongBits;
      if (request.optional && scene.OnWindows() && failed.why == Why::kElsewhere &&
          TorchMayBring(scene, scenario))
        continue;
      if (needed && request.optional && MayBeFoundAllTheSame(scene, failed)) continue;
      all.push_back(std::move(failed));
    }
  }
  AddNext(scene, copies, driver, all);
  return all;
}

}  // namespace

bool IsDamage(Why why) {
  switch (why) {
    case Why::kEmptyFile:
    case Why::kTruncated:
    case Why::kNotALibrary:
    case Why::kExecutableStack:
    case Why::kUnusable:
    case Why::kLinkLoop:
    case Why::kNotReadable:
    case Why::kWrongBits:
    case Why::kWrongCpu:
      return true;
    default:
      return false;
  }
}

const knowledge::Redistributable* FindRuntime(const Scene& scene, std::string_view name) {
  if (!scene.OnWindows()) return nullptr;
  const knowledge::Redistributable* row = knowledge::FindRedistributable(BaseName(name));
  if (row == nullptr) return nullptr;
  return row->kind == knowledge::RedistributableKind::kVisualCpp || row->dll == "zlibwapi.dll" ? row
                                                                                               : nullptr;
}

const std::vector<FailedLoad>& FailedLoads(const Scene& scene) {
  if (scene.failed_loads == nullptr) {
    scene.failed_loads = std::make_shared<const std::vector<FailedLoad>>(FindFailedLoads(scene));
  }
  return *scene.failed_loads;
}

}  // namespace culprit::rules
