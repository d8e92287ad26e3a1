#include "rules/kit/toolkit/tools.h"

#include <algorithm>

#include "base/python/pep440.h"
#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/toolkit/toolkit_facts.h"

namespace culprit::rules {
namespace {

using base::PathError;
using knowledge::ToolKind;
using knowledge::ToolRow;

constexpr std::string_view kNvcc = "tool:nvcc";

std::vector<std::string> SearchedByLoader(const Scene& scene, std::string_view name) {
  std::vector<std::string> paths;
  for (const std::string& directory : base::SplitWords(scene.Variable("LD_LIBRARY_PATH"), ":"))
    paths.push_back(base::JoinPath(directory, name));
  if (!scene.snapshot.ld_cache) return paths;
  for (const auto& entry : scene.snapshot.ld_cache->entries) {
    if (entry.name == name) paths.emplace_back(entry.path);
  }
  return paths;
}

// The paths that one place of the table stands for.
std::vector<std::string> PathsOf(const Scene& scene, const ToolUse& use, std::string_view place) {
  if (place.empty()) return {};
  const size_t end = place.find('}');
  if (!place.starts_with('{') || end == std::string_view::npos) return {std::string(place)};
  const std::string_view word = place.substr(1, end - 1);
  const std::string_view below = place.substr(std::min(end + 2, place.size()));
  std::vector<std::string> roots;
  if (word == "loader") return SearchedByLoader(scene, below);
  if (word == "path") roots = base::SplitWords(scene.Variable("PATH"), ":");
  if (word == "home") roots = {CudaHome(scene)};
  if (word.starts_with('$')) roots = {std::string(scene.Variable(std::string(word.substr(1))))};
  if (word == "toolkit" && use.toolkit != nullptr) roots = {use.toolkit->root};
  if (word == "prefix" && use.environment != nullptr) roots = {use.environment->prefix};
  if (word == "site" && use.environment != nullptr) roots = use.environment->site_packages;
  std::vector<std::string> paths;
  for (const std::string& root : roots) {
    if (root.starts_with('/')) paths.push_back(base::JoinPath(root, below));
  }
  return paths;
}

bool IsDamaged(const ToolRow& row, const snapshot::FileFacts& file) {
  if (file.size == 0) return true;
  if (row.kind == ToolKind::kData || file.elf == nullptr) return false;
  using binfmt::ElfProblem;
  const ElfProblem problem = file.elf->problem;
  if (problem == ElfProblem::kNotElf || problem == ElfProblem::kTooShort) return false;  // a script
  return problem == ElfProblem::kHeadersCut || problem == ElfProblem::kDynamicCut || !file.elf->complete();
}

void Find(const Scene& scene, ToolUse& use) {
  bool unknown = false;
  use.trouble = ToolTrouble::kMissing;
  for (const std::string& path : use.places) {
    const snapshot::FileFacts& file = scene.view.Open(path);
    unknown |= file.error == PathError::kNotRecorded;
    if (file.dangling && use.path.empty()) {
      use.path = path;
      use.trouble = ToolTrouble::kDangling;
    }
    // One that may not be read can still be run.
    if (file.error != PathError::kNone && file.error != PathError::kAccess) continue;
    if (file.error == PathError::kNone && file.kind == snapshot::FileKind::kDirectory) continue;
    use.path = path;
    use.trouble = file.error == PathError::kAccess                             ? ToolTrouble::kNone
                  : IsDamaged(*use.row, file)                                  ? ToolTrouble::kDamaged
                  : file.not_executable && use.row->kind == ToolKind::kProgram ? ToolTrouble::kNotExecutable
                                                                               : ToolTrouble::kNone;
    return;
  }
  if (unknown) use.trouble = ToolTrouble::kUnknown;
}

void Add(const Scene& scene, ToolUse use, std::vector<ToolUse>& all) {
  if (const std::string_view named = scene.Variable(std::string(use.row->variable)); !named.empty())
    use.places.push_back(scene.PathOf(named));
  const std::string_view release = use.package != nullptr ? std::string_view(use.package->version) : "";
  for (const std::string_view place : use.row->places) {
    for (std::string& path : PathsOf(scene, use, knowledge::PlaceFor(place, release)))
      use.places.push_back(std::move(path));
  }
  Find(scene, use);
  all.push_back(std::move(use));
}

// A folder with nvcc and none of the programs that it starts has a wrapper for an nvcc elsewhere.
void LeaveOutWrappers(std::vector<ToolUse>& uses) {
  const bool real = std::ranges::any_of(uses, [](const ToolUse& use) {
    return use.toolkit != nullptr && use.row->name != "nvcc" && !use.path.empty() &&
           use.path.starts_with(use.toolkit->root + "/");
  });
  if (!real)
    std::erase_if(uses, [](const ToolUse& use) { return use.toolkit != nullptr && use.row->name != "nvcc"; });
}

bool Needs(const ToolRow& row, const snapshot::PythonEnvironment& environment,
           const snapshot::PythonPackage& package) {
  if (!row.since.empty() && base::Meets(package.version, ">=" + std::string(row.since)) != true) return false;
  return row.without.empty() || environment.Find(std::string(row.without)) == nullptr;
}

// Whether the framework of that package gets CUDA libraries at all. One that finds none runs on the CPU.
bool LoadsCuda(const Scene& scene, const snapshot::PythonEnvironment& environment,
               const snapshot::PythonPackage& package) {
  const auto framework =
      std::ranges::find(environment.frameworks, package.name, &snapshot::Framework::package);
  const loader::Scenario* scenario =
      framework == environment.frameworks.end() ? nullptr : ScenarioOf(scene, environment, framework->name);
  return scenario != nullptr &&
         std::ranges::any_of(scenario->graph.objects, [](const loader::Object& object) {
           const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(object.path));
           return library != nullptr && library->family == "cuda";
         });
}

}  // namespace

std::string CudaOfTool(const Scene& scene, const ToolUse& use) {
  if (scene.stack().toolkits) {
    const std::string real = scene.view.RealPath(use.path);
    for (const snapshot::Toolkit& toolkit : scene.stack().toolkits->copies) {
      if (real.starts_with(scene.view.RealPath(toolkit.root) + "/")) return toolkit.version;
    }
  }
  const bool cuda13 = base::Contains(use.path, "/cu13/");
  if (use.environment == nullptr || !base::Contains(use.path, "-packages/nvidia/")) return "";
  for (const std::string_view name : use.row->packages) {
    const snapshot::PythonPackage* package = use.environment->Find(std::string(name));
    if (package != nullptr && CudaMajorOfPackage(package->name).empty() == cuda13) return package->version;
  }
  return "";
}

std::string CudaHome(const Scene& scene) {
  const std::string home(scene.Variable("CUDA_HOME"));
  return home.empty() ? std::string(scene.Variable("CUDA_PATH")) : home;
}

std::vector<ToolUse> ToolUses(const Scene& scene) {
  std::vector<ToolUse> all;
  const snapshot::Toolkit* toolkit = ChosenToolkit(scene).toolkit;
  for (const ToolRow& row : knowledge::Tools()) {
    if (row.user == kNvcc) {
      if (toolkit != nullptr && !toolkit->nvcc.empty())
        Add(scene, {.row = &row, .toolkit = toolkit, .user = "nvcc in " + toolkit->root}, all);
      continue;
    }
    if (!scene.stack().environments) continue;
    for (const snapshot::PythonEnvironment& environment : *scene.stack().environments) {
      if (environment.kind == snapshot::EnvironmentKind::kWheel) continue;
      const snapshot::PythonPackage* package = environment.Find(std::string(row.user));
      if (package == nullptr || !Needs(row, environment, *package) ||
          (row.loads && !LoadsCuda(scene, environment, *package)))
        continue;
      Add(scene,
          {.row = &row,
           .environment = &environment,
           .package = package,
           .user = package->name + " " + package->version + " in " + environment.prefix},
          all);
    }
  }
  LeaveOutWrappers(all);
  return all;
}

}  // namespace culprit::rules
