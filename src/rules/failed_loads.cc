#include "rules/failed_loads.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/text.h"
#include "base/version.h"
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

std::string StartCommand(const Scene& scene, const loader::Scenario& scenario) {
  const snapshot::PythonEnvironment* environment = scene.EnvironmentOf(scenario);
  const snapshot::Framework* framework = scene.FrameworkOf(scenario);
  if (environment == nullptr || framework == nullptr) return scenario.title;
  return (environment->interpreter.empty() ? "python3" : environment->interpreter) + " -c 'import " +
         framework->name + "'";
}

report::Fix SearchToo(const Scene& scene, const FailedLoad& failed, const std::string& directory) {
  const bool private_directory = directory.find("site-packages") != std::string::npos ||
                                 directory.find("dist-packages") != std::string::npos ||
                                 directory.starts_with("/home/") || directory.starts_with("/root/") ||
                                 scene.EnvironmentOf(*failed.scenario) != nullptr;
  if (private_directory) {
    return {
        .text =
            "name the directory for this program alone; do not export it for the whole shell, where it would "
            "win over the libraries that other programs bring along",
        .commands = {"LD_LIBRARY_PATH=" + directory + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} " +
                     StartCommand(scene, *failed.scenario)},
        .risk = "low"};
  }
  return {
      .text =
          "let ldconfig know the directory: unlike LD_LIBRARY_PATH this is searched last and shadows nothing",
      .commands = {"echo " + directory + " | sudo tee /etc/ld.so.conf.d/" +
                       std::string(failed.library ? "cuda" : "local") + "-libraries.conf",
                   "sudo ldconfig"},
      .risk = "low"};
}

std::string CudaOfSoname(const knowledge::Library& library, std::string_view soname) {
  static constexpr std::string_view kNumberedByCuda[] = {
      "cudart", "cublas", "cublasLt", "nvblas", "nvrtc", "nvJitLink", "nvfatbin", "cupti", "nvjpeg", "nppc"};
  const size_t so = soname.find(".so.");
  if (library.packages.size() == 1 && library.family == "cuda") {
    const std::string_view package = library.packages.front();
    const size_t suffix = package.rfind("_cu1");
    return suffix == std::string_view::npos ? "13" : std::string(package.substr(suffix + 3));
  }
  if (so == std::string_view::npos ||
      std::ranges::find(kNumberedByCuda, library.name) == std::end(kNumberedByCuda))
    return "";
  const auto version = base::Version::Parse(soname.substr(so + 4));
  return version ? std::to_string(version->part(0)) : "";
}

std::string PipPackage(const knowledge::Library& library, const std::string& cuda) {
  for (const std::string_view package : library.packages) {
    const bool suffixed = package.find("_cu1") != std::string_view::npos;
    const bool fits = suffixed ? package.ends_with("_cu" + cuda) : cuda == "13";
    if (!fits && library.packages.size() != 1) continue;
    std::string name(package);
    std::ranges::replace(name, '_', '-');
    return name;
  }
  return "";
}

report::Fix Install(const Scene& scene, const FailedLoad& failed) {
  const snapshot::PythonEnvironment* environment = scene.EnvironmentOf(*failed.scenario);
  const snapshot::Framework* framework = scene.FrameworkOf(*failed.scenario);
  std::string cuda = CudaOfSoname(*failed.library, failed.request->name);
  if (cuda.empty() && framework != nullptr) cuda = base::Split(framework->cuda, '.').front();
  const std::string package = cuda.empty() ? "" : PipPackage(*failed.library, cuda);
  if (environment != nullptr && !package.empty() && !environment->interpreter.empty()) {
    return {.text = "install the package that brings it into this environment",
            .commands = {environment->interpreter + " -m pip install " + package},
            .risk = "low"};
  }
  const std::string title(failed.library->title);
  return {.text = "install " + title + (cuda.empty() ? "" : " of CUDA " + cuda) + ", which brings " +
                  failed.request->name +
                  "; do not link another version to this name, and take no single file from a download site",
          .commands = {"culprit why " + failed.request->name},
          .risk = "none"};
}

}  // namespace culprit::rules
