// CUL4022: a program or data file that a package or nvcc needs at run time is missing or cannot be used.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/python/package_changes.h"
#include "rules/kit/toolkit/tools.h"

namespace culprit::rules::tool_unusable {
namespace {

using knowledge::ToolKind;

constexpr std::string_view kPage = R"md(
## What it means
A package or nvcc starts a program (ptxas, cicc) or reads a file (libdevice, libnvvm) that is not in any of the places
it searches, is not executable, is a dangling symlink, or is truncated.
## Why it breaks
Importing works, since no library needs these files. The first kernel that is compiled fails: "ptxas: not found", "Cannot find
ptxas", "libdevice not found at ./libdevice.10.bc", "libNVVM cannot be found", "Permission denied".

## How culprit knows
data/tools.toml lists who needs what, and where each looks for it. culprit looks in these places, in that order; the
first that has the file counts.
## Fix
Install the package that provides the file, or make the program executable.
## When this is not your problem
You compile nothing for the GPU with this package.

## Sources
data/tools.toml, each row with its source.
)md";

using Uses = std::vector<const ToolUse*>;

std::string NamesOf(const Uses& uses) {
  std::string names;
  for (size_t i = 0; i < uses.size(); ++i)
    names += (i == 0 ? "" : i + 1 == uses.size() ? " and " : ", ") + std::string(uses[i]->row->name);
  return names;
}

// The tool as it is when it was installed at `path`.
report::Change AsInstalled(const ToolUse& use, const std::string& path) {
  if (use.row->kind == ToolKind::kData) return report::PutText{path, "BC"};
  report::PutLibrary file{.path = path};
  file.program = use.row->kind == ToolKind::kProgram;
  if (!file.program) file.soname = base::BaseName(path);
  return file;
}

// Whether the environment has the libraries of CUDA 13, whose packages have no number in their names.
bool HasCuda13(const snapshot::PythonEnvironment& environment) {
  return std::ranges::any_of(environment.packages, [](const snapshot::PythonPackage& package) {
    return package.name.starts_with("nvidia-") && package.version.starts_with("13.") &&
           CudaMajorOfPackage(package.name).empty();
  });
}

// Where a package of PyPI puts the tool. numba looks into no packages: there it is below CUDA_HOME.
std::string PlaceInPackage(const ToolUse& use, bool cuda13) {
  const auto fits = [&](const std::string& place) {
    return base::Contains(place, "/nvidia/") && base::Contains(place, "/cu13/") == cuda13;
  };
  const auto found = std::ranges::find_if(use.places, fits);
  return found == use.places.end() ? "" : *found;
}

report::Fix InstallFromPypi(const Scene& scene, const Uses& uses) {
  const snapshot::PythonEnvironment& environment = *uses.front()->environment;
  const bool cuda13 = HasCuda13(environment);
  report::Fix fix{.text = "", .commands = {}, .risk = report::Risk::kLow};
  Command wanted;
  std::vector<std::string> packages;
  for (const ToolUse* use : uses) {
    const auto& choice = use->row->packages;
    const std::string package(cuda13 && choice.size() > 1 ? choice[1] : choice[0]);
    if (std::string place = PlaceInPackage(*use, cuda13 && choice.size() > 1); !place.empty())
      fix.changes.push_back(AsInstalled(*use, place));
    if (std::ranges::find(packages, package) != packages.end()) continue;
    packages.push_back(package);
    const auto version = VersionForAll(scene, environment, package);
    wanted += " " + (version ? ForPip({package, *version}) : Plain(package));
    fix.text += (fix.text.empty() ? "install " : " and ") + package;
    if (version) AddInstall(scene, environment, {package, *version}, Pip::kMissing, fix.changes);
  }
  fix.text += ", which provides " + NamesOf(uses);
  fix.commands = {PipOf(environment) + " install" + wanted};
  if (!uses.front()->row->seldom || environment.site_packages.empty()) return fix;
  // With one package in its row, numba takes that of CUDA 12, whatever else the environment has.
  const bool of_cuda13 = cuda13 && uses.front()->row->packages.size() > 1;
  const std::string root = environment.site_packages.back() + "/nvidia/" + (of_cuda13 ? "cu13" : "cuda_nvcc");
  fix.text += ", and set CUDA_HOME to it; or install a CUDA toolkit";
  fix.commands.push_back("export CUDA_HOME=" + Word(root));
  const std::string libraries = root + "/nvvm/lib64";
  for (const ToolUse* use : uses) {
    const bool data = use->row->kind == ToolKind::kData;
    fix.changes.push_back(
        AsInstalled(*use, (data ? root + "/nvvm/libdevice" : libraries) + "/" + std::string(use->row->name)));
    if (data) continue;
    // The package has libnvvm.so alone. Below CUDA_HOME numba takes libnvvm.so.4, the other only from the
    // loader.
    fix.commands.push_back("export LD_LIBRARY_PATH=" + Word(libraries) +
                           "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
    fix.changes.push_back(report::AddToList{"LD_LIBRARY_PATH", libraries});
  }
  fix.changes.push_back(report::SetVariable{"CUDA_HOME", root});
  return fix;
}

report::Fix Missing(const Scene& scene, const Uses& uses) {
  const ToolUse& first = *uses.front();
  const std::string home = CudaHome(scene);
  if (first.package != nullptr && first.row->packages.empty()) {
    report::Fix fix = ReinstallPackage(*first.environment, first.package->name, first.package->version,
                                       "reinstall " + first.package->name + ", which contains it");
    fix.changes.clear();  // what is missing is all that is new
    for (const ToolUse* use : uses) fix.changes.push_back(AsInstalled(*use, use->places.front()));
    return fix;
  }
  if (first.package != nullptr && (!first.row->seldom || home.empty())) return InstallFromPypi(scene, uses);
  // A toolkit, of nvcc or of CUDA_HOME: the first place below it.
  const std::string root = first.toolkit != nullptr ? first.toolkit->root : scene.PathOf(home);
  report::Fix fix;
  for (const ToolUse* use : uses) {
    const auto place = std::ranges::find_if(
        use->places, [&](const std::string& path) { return path.starts_with(root + "/"); });
    const std::string& path = place == use->places.end() ? use->places.front() : *place;
    if (fix.text.empty()) {
      fix = InstallAgain(scene, path, std::string(use->row->name));
      fix.changes.clear();
    }
    fix.changes.push_back(AsInstalled(*use, path));
  }
  return fix;
}

report::Fix MakeExecutable(const Scene& scene, const Uses& uses) {
  report::Fix fix{.text = "make it executable", .commands = {}, .risk = report::Risk::kLow};
  for (const ToolUse* use : uses) {
    const std::string real = scene.view.RealPath(use->path);
    fix.commands.push_back(Sudo(scene, real) + "chmod a+x " + Word(use->path));
    fix.changes.push_back(report::SetMode{real, 0755});
  }
  return fix;
}

report::Fix Replace(const Scene& scene, const ToolUse& use) {
  const bool own = use.package != nullptr && use.row->packages.empty();
  report::Fix fix = own ? ReinstallPackage(*use.environment, use.package->name, use.package->version,
                                           "reinstall " + use.package->name + ", which contains it")
                        : InstallAgain(scene, use.path, std::string(use.row->name));
  // Behind a dangling symlink there is nothing that could be replaced.
  const bool dangling = use.trouble == ToolTrouble::kDangling;
  fix.changes = {AsInstalled(use, dangling ? PlaceOf(scene, use.path) : scene.view.RealPath(use.path))};
  return fix;
}

struct Wording {
  std::string summary, subject;
  std::string_view cause;
};

Wording WordingOf(const Scene& scene, const Uses& uses) {
  const ToolUse& first = *uses.front();
  const std::string more = uses.size() > 1 ? " (and " + std::to_string(uses.size() - 1) + " more)" : "";
  switch (first.trouble) {
    case ToolTrouble::kDangling:
      return {first.path + " is a dangling symlink", first.path, "broken-symlink"};
    case ToolTrouble::kNotExecutable:
      return {first.path + " is not executable" + more, first.path, "permissions"};
    case ToolTrouble::kDamaged: {
      const uint64_t size = scene.view.Open(first.path).size;
      return {first.path + (size == 0 ? " is empty"
                                      : " is truncated: " + std::to_string(size) +
                                            " bytes, but its headers require more"),
              first.path, "corrupt-library"};
    }
    default:
      break;
  }
  const bool library = first.row->kind == ToolKind::kLibrary;
  return {first.user + " does not find " + NamesOf(uses), first.places.front(),
          library ? "cuda-library-missing" : "toolkit-missing"};
}

void Report(const Scene& scene, const Uses& uses, Ruling& ruling) {
  const ToolUse& first = *uses.front();
  const Wording wording = WordingOf(scene, uses);
  report::Finding& finding =
      ruling.Fire(wording.summary, wording.subject, {first.user, std::string(first.row->name)});
  finding.cause = wording.cause;
  finding.affects.push_back(first.user);
  const bool meant = first.package == nullptr || !first.row->seldom || !CudaHome(scene).empty();
  if (!meant) finding.severity = report::Severity::kNote;
  if (first.row->always && GpuPresence(scene) == Presence::kYes) finding.severity = report::Severity::kError;
  for (const ToolUse* use : uses) {
    if (use->trouble == ToolTrouble::kMissing)
      finding.evidence.push_back(
          {"there is no " + use->places.front() + (use->places.size() > 1 ? ", nor in the other places" : ""),
           use->places.front()});
    else
      finding.evidence.push_back({first.user + " uses " + use->path, use->path});
    finding.evidence.push_back({std::string(use->row->effect), std::string(use->row->source)});
  }
  finding.fix = first.trouble == ToolTrouble::kMissing         ? Missing(scene, uses)
                : first.trouble == ToolTrouble::kNotExecutable ? MakeExecutable(scene, uses)
                                                               : Replace(scene, first);
}

// Missing files of one user, and programs that lost their x bits, are one finding.
bool BelongTogether(const ToolUse& one, const ToolUse& other) {
  const bool whole = one.trouble == ToolTrouble::kMissing || one.trouble == ToolTrouble::kNotExecutable;
  const bool library = one.row->kind == ToolKind::kLibrary;
  return whole && one.trouble == other.trouble && one.user == other.user &&
         library == (other.row->kind == ToolKind::kLibrary);
}

void Check(const Scene& scene, Ruling& ruling) {
  std::vector<Uses> groups;
  const std::vector<ToolUse> uses = ToolUses(scene);
  if (uses.empty()) return ruling.NotApplicable();
  const bool no_gpu = GpuPresence(scene) == Presence::kNo;
  for (const ToolUse& use : uses) {
    if (use.trouble == ToolTrouble::kUnknown)
      ruling.NotEnoughFacts(std::string(use.row->name) + " of " + use.user, "not recorded in the snapshot");
    if (use.trouble == ToolTrouble::kNone || use.trouble == ToolTrouble::kUnknown) continue;
    if (use.package != nullptr && no_gpu) continue;
    const auto group =
        std::ranges::find_if(groups, [&](const Uses& other) { return BelongTogether(*other.front(), use); });
    if (group == groups.end())
      groups.push_back({&use});
    else
      group->push_back(&use);
  }
  for (const Uses& group : groups) Report(scene, group, ruling);
}

}  // namespace

extern const Rule kRule = {
    .code = "CUL4022",
    .name = "tool_unusable",
    .family = Family::kToolkit,
    .explains = Explains::kCompilerFiles | Explains::kFramework,
    .cause = "toolkit-missing",
    .severity = report::Severity::kWarning,
    .where = Where::kLinux,
    .since = "0.9.0",
    .title = "a program or file that is needed to compile for the GPU is missing or unusable",
    .page = kPage,
    .check = Check};

}  // namespace culprit::rules::tool_unusable
