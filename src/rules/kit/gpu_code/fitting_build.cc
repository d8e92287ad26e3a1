#include "rules/kit/gpu_code/fitting_build.h"

#include <algorithm>
#include <functional>

#include "base/python/pep440.h"
#include "base/version.h"
#include "knowledge/packages/builds.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"
#include "rules/kit/gpu_code/gpu_code_facts.h"

namespace culprit::rules {
namespace {

using base::Version;
using knowledge::FrameworkRelease;
using knowledge::Verdict;
using snapshot::PythonEnvironment;

base::Machine OwnMachine(const Scene& scene) {
  if (scene.OnWindows()) return base::Machine::kWindows;
  return scene.snapshot.cpu.machine == "aarch64" ? base::Machine::kLinuxArm : base::Machine::kLinuxX86;
}

std::string WheelOf(std::string_view framework) {
  return framework == "onnxruntime" ? "onnxruntime-gpu" : std::string(framework);
}

bool RunsOnGpus(const Scene& scene, const knowledge::Build& build, const Version* driver) {
  if (!scene.stack().gpus) return true;
  return std::ranges::all_of(*scene.stack().gpus, [&](const snapshot::Gpu& gpu) {
    const auto capability = Version::Parse(gpu.compute_capability);
    return !capability || knowledge::BuildOnGpu(build, *capability, driver).verdict == Verdict::kYes;
  });
}

// Whether the build is published for this machine and its Python, and runs with the driver and the GPUs.
bool Suits(const Scene& scene, const PythonEnvironment& environment, const knowledge::Build& build) {
  if (!build.in_table || knowledge::BuildOnMachine(build).verdict != Verdict::kYes) return false;
  const auto driver = Version::Parse(DriverVersion(scene));
  if (driver && knowledge::BuildOnDriver(build, *driver, scene.platform()).verdict != Verdict::kYes)
    return false;
  const auto python = Version::Parse(environment.python);
  if (python && knowledge::BuildOnPython(build, *python).verdict != Verdict::kYes) return false;
  return RunsOnGpus(scene, build, driver ? &*driver : nullptr);
}

// What pip installs; nullopt for a framework whose package versions are unknown.
std::optional<Build> BuildOf(const knowledge::Build& of, const std::string& version) {
  const FrameworkRelease& row = of.row;
  if (row.framework == "torch") {
    if (of.published == knowledge::PublishedOn::kPackageIndex) return Build{{"torch", version}, ""};
    return Build{{"torch", of.shown}, PytorchIndex(of.shown)};
  }
  if (row.framework == "jax") {
    // Before PyPI had the plugins, they came from elsewhere.
    if (knowledge::FindPin("jax", version, row.variant) == nullptr) return std::nullopt;
    return Build{{"jax", version, {std::string(row.variant)}}, ""};
  }
  if (row.framework == "tensorflow") {
    Build build{{"tensorflow", version}, ""};
    if (row.extra.find("and-cuda") != std::string_view::npos) build.wanted.extras = {"and-cuda"};
    return build;
  }
  if (row.framework == "onnxruntime") {
    if (!row.is_default) return std::nullopt;  // on another index, and not every release
    Build build{{"onnxruntime-gpu", version}, ""};
    if (!row.extra.empty()) build.wanted.extras = {"cuda", "cudnn"};
    return build;
  }
  return std::nullopt;
}

}  // namespace

bool HasCudaMajor(const PythonEnvironment& environment, std::string_view cuda) {
  const std::string major = MajorOf(cuda);
  return std::ranges::any_of(environment.packages, [&](const auto& package) {
    return package.name.starts_with("nvidia-") && CudaMajorOfPackage(package.name) == major;
  });
}

std::optional<FittingBuild> FindFittingBuild(const Scene& scene, const PythonEnvironment& environment,
                                             std::string_view framework, std::string_view release,
                                             std::string_view cuda_major) {
  std::vector<std::string> versions;
  if (!release.empty()) {
    versions.emplace_back(release);
  } else {
    versions = KnownVersions(scene, environment, WheelOf(framework));
  }
  for (const std::string& version : versions) {  // newest first
    const auto parsed = Version::Parse(version);
    if (!parsed) continue;
    auto builds = knowledge::BuildsOfRelease(framework, version, OwnMachine(scene));
    std::erase_if(builds, [&](const knowledge::Build& build) {
      return !Suits(scene, environment, build) ||
             (!cuda_major.empty() && MajorOf(std::string(build.row.cuda)) != cuda_major);
    });
    if (builds.empty()) continue;
    // Prefer builds that the tables know more about: rows without cuDNN are rarely used builds.
    const auto whole = [](const knowledge::Build& build) { return !build.row.cudnn.empty(); };
    if (std::ranges::any_of(builds, whole)) std::erase_if(builds, std::not_fn(whole));
    const auto by_default =
        std::ranges::find_if(builds, [](const knowledge::Build& build) { return build.row.is_default; });
    const auto chosen = by_default != builds.end()
                            ? by_default
                            : std::ranges::find_if(builds, [&](const knowledge::Build& build) {
                                return HasCudaMajor(environment, build.row.cuda);
                              });
    // Of several, the one for the newest CUDA, which is the first.
    const knowledge::Build& build = chosen != builds.end() ? *chosen : builds.front();
    auto wanted = BuildOf(build, version);
    if (!wanted) continue;
    const Version cuda = knowledge::MinorOf(knowledge::Known(build.row.cuda));
    return FittingBuild{std::move(*wanted), build.row,
                        std::string(framework) + " " + version + " for CUDA " + cuda.ToString()};
  }
  return std::nullopt;
}

std::optional<report::Fix> OnnxruntimeFor(const Scene& scene, const PythonEnvironment& environment,
                                          std::string_view cuda_major) {
  if (cuda_major.empty()) return std::nullopt;
  const auto fitting = FindFittingBuild(scene, environment, "onnxruntime", "", cuda_major);
  if (!fitting) return std::nullopt;
  report::Fix fix{.text = "install " + fitting->title + ", the installed CUDA",
                  .commands = {},
                  .risk = report::Risk::kLow};
  InstallTogether(scene, environment, fitting->build, fix);
  return fix;
}

std::optional<std::string> CompanionOf(std::string_view package, std::string_view torch) {
  const std::string release = PublicVersion(torch);
  std::optional<base::PythonVersion> best;
  std::optional<std::string> text;
  const auto consider = [&](std::string_view version) {
    const auto parsed = base::PythonVersion::Parse(version);
    if (!parsed || parsed->pre || (best && parsed->ComparePublic(*best) <= 0)) return;
    best = parsed;
    text = version;
  };
  for (const knowledge::Pin& pin : knowledge::Pins()) {
    if (pin.package != package || !pin.extra.empty()) continue;
    const std::string_view wanted = knowledge::Requirement(pin, "torch");
    if (!wanted.empty() && base::Meets(release, wanted) == true) consider(pin.version);
  }
  if (text) return text;
  for (const knowledge::Companion& row : knowledge::Companions()) {
    if (row.package == package && row.of == "torch" && row.of_version == release) consider(row.version);
  }
  return text;
}

std::string PreferredMajor(const Scene& scene, const PythonEnvironment& environment,
                           const std::set<std::string>& majors) {
  if (majors.empty()) return "";
  for (const snapshot::Framework& framework : environment.frameworks) {
    const std::string own = MajorOf(framework.cuda);
    if (!own.empty() && majors.contains(own) && framework.name != "cupy" &&
        !framework.name.starts_with("tensorrt"))
      return own;
  }
  // Otherwise the one whose libraries are installed.
  std::string here;
  for (const snapshot::PythonPackage& package : environment.packages) {
    const std::string own = package.name == "nvidia-cuda-runtime" ? MajorOf(package.version)
                            : package.name.starts_with("nvidia-cuda-runtime-cu")
                                ? CudaMajorOfPackage(package.name)
                                : "";
    if (majors.contains(own)) here = here.empty() || here == own ? own : "both";
  }
  if (majors.contains(here)) return here;
  const auto driver = Version::Parse(DriverVersion(scene));
  for (auto major = majors.rbegin(); major != majors.rend(); ++major) {
    const auto cuda = Version::Parse(*major);
    if (!driver || !cuda) continue;
    if (knowledge::DriverForCuda(*driver, *cuda, scene.platform()).verdict == Verdict::kYes) return *major;
  }
  return *majors.rbegin();
}

void InstallTogether(const Scene& scene, const PythonEnvironment& environment, const Build& build,
                     report::Fix& fix) {
  Command wanted = ForPip(build.wanted);
  std::vector<report::Change> installs;
  AddInstall(scene, environment, build.wanted, Pip::kMissing, installs);
  if (build.wanted.package == "torch") {
    const size_t plus = build.wanted.version.find('+');
    const std::string local = plus == std::string::npos ? "" : build.wanted.version.substr(plus);
    for (const char* companion : {"torchvision", "torchaudio", "xformers"}) {
      if (environment.Find(companion) == nullptr) continue;
      const auto version = CompanionOf(companion, build.wanted.version);
      if (!version) continue;
      const Wanted also{companion, *version + local};
      wanted += " " + ForPip(also);
      AddInstall(scene, environment, also, Pip::kAlone, installs);
    }
  }
  // pip keeps packages of another CUDA, which would then be mixed with the new ones.
  const auto in_the_way = InTheWay(scene, environment, installs);
  Command names;
  for (const std::string& name : in_the_way) {
    names += " " + Plain(name);
    fix.changes.push_back(report::RemovePackage{environment.prefix, name});
  }
  if (!names.empty()) fix.commands.push_back(PipOf(environment) + " uninstall -y" + names);
  fix.changes.insert(fix.changes.end(), installs.begin(), installs.end());
  fix.commands.push_back(PipOf(environment) + " install " + wanted + build.index);
}

namespace {

// nvcc's option for machine code of one GPU: "-gencode arch=compute_90,code=sm_90".
std::string Gencode(const snapshot::Gpu& gpu) {
  std::string number = gpu.compute_capability;
  std::erase(number, '.');
  return "-gencode arch=compute_" + number + ",code=sm_" + number;
}

report::Fix CompileAgain(const GpuFit& fit) {
  const std::string nvcc = fit.gpu_is_older ? " with a toolkit that still supports this GPU" : "";
  return {
      .text = "build " + fit.library + " again" + nvcc + ", with " + Gencode(*fit.gpu) +
              " (CMake: CMAKE_CUDA_ARCHITECTURES), or get a build that has code for this GPU; a newer driver "
              "does not help",
      .commands = {},
      .risk = report::Risk::kLow,
      .changes = {}};
}

}  // namespace

report::Fix AnotherBuild(const GpuFit& fit) {
  const std::string& name = fit.framework->name;
  const std::string& package = fit.framework->package.empty() ? name : fit.framework->package;
  return {.text = "install a build of " + name +
                  " with code for this GPU, or build it here; culprit does not know which release has it, so "
                  "inspect the file before use",
          .commands = {PipOf(*fit.environment) + " install --upgrade --no-deps " + Plain(package),
                       "culprit inspect " + Word(fit.library)},
          .risk = report::Risk::kMedium};
}

report::Fix BuildForThisGpu(const Scene& scene, const GpuFit& fit) {
  if (fit.framework == nullptr) return CompileAgain(fit);
  const std::string& name = fit.framework->name;
  const bool known = std::ranges::any_of(knowledge::FrameworkReleases(),
                                         [&](const FrameworkRelease& row) { return row.framework == name; });
  if (!known && name != "cupy") return AnotherBuild(fit);
  const std::string which = fit.gpu_is_older
                                ? "an older release of " + name + ", or its build for an older CUDA,"
                                : "a newer build of " + name + ", or one for a newer CUDA,";
  report::Fix fix{.text = {}, .commands = {}, .risk = report::Risk::kMedium};
  const auto fitting = FindFittingBuild(scene, *fit.environment, name);
  if (!fitting) {
    fix.text = "install " + which +
               " that has code for this GPU; culprit knows none that also supports this driver and "
               "Python. A newer driver alone does not help";
    fix.commands = {"culprit plan " + Plain(name), "culprit inspect " + Word(fit.library)};
    return fix;
  }
  fix.text = "install " + fitting->title + ", which has code for this GPU; a newer driver does not help";
  InstallTogether(scene, *fit.environment, fitting->build, fix);
  fix.commands.push_back("culprit plan " + Plain(name));
  return fix;
}

}  // namespace culprit::rules
