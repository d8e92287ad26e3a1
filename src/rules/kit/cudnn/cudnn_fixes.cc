#include "rules/kit/cudnn/cudnn_fixes.h"

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "knowledge/cudnn.h"
#include "knowledge/driver.h"
#include "knowledge/packages/release.h"
#include "rules/kit/cudnn/cudnn_facts.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/toolkit/toolkit_facts.h"

namespace culprit::rules {
namespace {

// libcudnn9-cuda-12, libcudnn8: before 9 the package name did not contain the CUDA version.
std::string SystemPackage(const CudnnChoice& choice) {
  const std::string major = MajorOf(choice.version);
  return "libcudnn" + major + (major == "8" || choice.cuda.empty() ? "" : "-cuda-" + choice.cuda);
}

Command PlanCudnn(const CudnnChoice& choice) {
  return "culprit plan cudnn" + (choice.cuda.empty() ? "" : " --cuda " + Plain(choice.cuda));
}

bool Serves(const Scene& scene, const base::Version& cudnn, const std::optional<base::Version>& cuda) {
  if (!scene.stack().gpus) return true;
  return std::ranges::none_of(*scene.stack().gpus, [&](const snapshot::Gpu& gpu) {
    const auto capability = base::Version::Parse(gpu.compute_capability);
    return capability &&
           knowledge::CudnnForGpu(cudnn, cuda.value_or(base::Version{{0}}), *capability).verdict ==
               knowledge::Verdict::kNo;
  });
}

}  // namespace

std::string CudaOfProcess(const Scene& scene, const loader::Scenario& scenario) {
  for (const loader::Request& request : scenario.graph.requests) {
    const knowledge::Library* library = knowledge::FindLibrary(base::BaseName(request.name));
    if (library == nullptr || library->family != "cuda") continue;
    if (std::string cuda = CudaOfSoname(*library, base::BaseName(request.name)); !cuda.empty()) return cuda;
  }
  if (const snapshot::Framework* framework = scene.FrameworkOf(scenario);
      framework != nullptr && !framework->cuda.empty()) {
    return MajorOf(framework->cuda);
  }
  if (const snapshot::Toolkit* toolkit = ChosenToolkit(scene).toolkit; toolkit != nullptr) {
    return MajorOf(toolkit->version);
  }
  const auto driver = scene.stack().driver ? ModuleVersion(*scene.stack().driver) : std::nullopt;
  return driver ? MajorOf(knowledge::CudaOfDriver(*driver, scene.platform()).cuda) : "";
}

CudnnChoice ChooseCudnn(const Scene& scene, uint32_t major, const std::string& cuda) {
  const auto wanted = base::Version::Parse(cuda);
  const auto releases = knowledge::CudnnReleases();
  bool newest = true;
  for (auto row = releases.rbegin(); row != releases.rend(); ++row) {
    const base::Version version = knowledge::Known(row->version);
    if (version.part(0) != major) continue;
    const bool built =
        !wanted || knowledge::CudnnForCuda(version, *wanted).verdict == knowledge::Verdict::kYes;
    if (built && Serves(scene, version, wanted))
      return {std::string(row->version), std::string(row->build), cuda, newest};
    newest = false;
  }
  return {};
}

report::Fix InstallForAll(const Scene& scene, const CudnnChoice& choice, const std::string& directory) {
  const std::string name =
      "cuDNN " + choice.version + (choice.cuda.empty() ? "" : " for CUDA " + choice.cuda);
  report::Fix fix{.text = "install all of " + name +
                          "; do not symlink the name to another version, and do not download single files",
                  .commands = {},
                  .risk = report::Risk::kLow};
  const PackageManager manager = PackageManagerOf(scene);
  std::string place = directory.empty() ? SystemDirectory(scene) : directory;
  if (scene.OnWindows() && place.empty()) {
    place = "/C:/Program Files/NVIDIA/CUDNN/v" + choice.version.substr(0, choice.version.rfind('.')) + "/bin";
    fix.changes = {report::AddToList{"PATH", base::ToWindowsPath(place)}};
    fix.text += "; add its bin directory to PATH";
    fix.commands = {PlanCudnn(choice)};
  } else if (manager != PackageManager::kNone && place == SystemDirectory(scene)) {
    const Command package = Plain(SystemPackage(choice));
    const bool dpkg = manager == PackageManager::kDpkg;
    const Command version = Plain(choice.version);
    const Command exact = dpkg ? "=" + version + ".*" : "-" + version + "*";
    fix.commands = {(dpkg ? Command("sudo apt-get install ") : "sudo dnf install ") +
                    (choice.newest ? package : "'" + package + exact + "'")};
    fix.text += "; the package comes from NVIDIA's repository";
  } else {
    fix.text += "; unpack the archive of this release and copy all its libraries into " + place;
    fix.commands = {PlanCudnn(choice)};
  }
  fix.changes.insert(fix.changes.begin(), report::InstallCudnn{choice.version, choice.cuda, place});
  if (!scene.OnWindows() && IsKnownToLdconfig(scene, place)) fix.changes.push_back(report::RefreshCache{});
  return fix;
}

report::Fix InstallInto(const Scene& scene, const snapshot::PythonEnvironment& environment,
                        const CudnnChoice& choice) {
  const std::string package = "nvidia-cudnn-cu" + choice.cuda;
  const std::string pinned = PinnedVersion(scene, environment, package);
  const bool fits = !pinned.empty() && MajorOf(pinned) == MajorOf(choice.version);
  return ReinstallPackage(environment, package, fits ? pinned : choice.build,
                          "install the package that provides it in this environment");
}

bool BundlesOnlyShim(const Scene& scene, const std::string& shim) {
  if (!scene.OnWindows()) return base::BaseName(shim).find('-') != std::string_view::npos;
  const snapshot::CudnnCopy* copy = CopyOf(scene, shim);
  if (copy == nullptr || copy->parts.size() != 1) return false;
  const bool of_nvidia =
      copy->owner.manager == PackageManager::kPip && copy->owner.package.starts_with("nvidia-cudnn");
  return !of_nvidia && ReinstallKeeper(scene, shim).has_value();
}

CudnnChoice ChooseLike(const Scene& scene, const std::string& shim, const std::string& cuda) {
  const auto version = scene.view.Version(shim);
  for (const auto& release : knowledge::CudnnReleases()) {
    if (version && (version->version == release.version || version->version == release.build))
      return {std::string(release.version), std::string(release.build), cuda, false};
  }
  return ChooseCudnn(scene, MajorOfName(base::BaseName(shim)), cuda);
}

report::Fix ReinstallCudnn(const Scene& scene, const loader::Scenario& scenario, const std::string& file) {
  const auto* around = scene.EnvironmentOf(scenario);
  if (scene.OnWindows() && around != nullptr && BundlesOnlyShim(scene, file)) {
    const CudnnChoice choice = ChooseLike(scene, file, CudaOfProcess(scene, scenario));
    if (!choice.build.empty() && !choice.cuda.empty()) {
      return ReinstallPackage(*around, "nvidia-cudnn-cu" + choice.cuda, choice.build,
                              "install the cuDNN release that matches this package's main library");
    }
  }
  const snapshot::CudnnCopy* copy = CopyOf(scene, file);
  const snapshot::Owner owner = copy == nullptr ? snapshot::Owner() : copy->owner;
  if (owner.manager == PackageManager::kPip && !owner.version.empty()) {
    if (const auto* environment = scene.EnvironmentOf(scenario)) {
      return ReinstallPackage(*environment, owner.package, owner.version,
                              "reinstall the package in the same version");
    }
  }
  if (auto fix = ReinstallKeeper(scene, PlaceOf(scene, file))) return *fix;
  CudnnChoice release;
  if (copy != nullptr) release = {copy->version, "", MajorOf(copy->cuda), false};
  if (release.version.empty()) {
    const auto version = scene.view.Version(file);
    release.version = version ? version->version : "";
  }
  const std::string directory(base::DirName(PlaceOf(scene, file)));
  const report::InstallCudnn again{release.version, release.cuda, directory};
  if (owner.manager == PackageManager::kDpkg) {
    return {.text = "reinstall the package",
            .commands = {"sudo apt-get install --reinstall " + Plain(owner.package)},
            .risk = report::Risk::kLow,
            .changes = {again, report::RefreshCache{}}};
  }
  if (owner.manager == PackageManager::kConda) {
    return {.text = "reinstall the package",
            .commands = {"conda install --force-reinstall " + Plain(owner.package)},
            .risk = report::Risk::kLow,
            .changes = {again}};
  }
  return {.text = "copy all libraries of cuDNN " +
                  (release.version.empty() ? "(one release)" : release.version) + " into " + directory +
                  "; do not copy single files from another release",
          .commands = {"culprit why " + Word(base::BaseName(file))},
          .risk = report::Risk::kNone,
          .changes = {again}};
}

}  // namespace culprit::rules
