#include "rules/kit/gpu_code/fitting_build.h"

#include <algorithm>
#include <functional>

#include "base/pep440.h"
#include "base/version.h"
#include "knowledge/arch.h"
#include "knowledge/packages/pins.h"
#include "knowledge/packages/release.h"
#include "rules/kit/gpu_code/gpu_code_facts.h"

namespace culprit::rules {
namespace {

using base::Version;
using knowledge::FrameworkRelease;
using knowledge::Verdict;
using snapshot::PythonEnvironment;

bool OnArm(const Scene& scene) { return scene.snapshot.cpu.machine == "aarch64"; }

std::string WheelOf(std::string_view framework) {
  return framework == "onnxruntime" ? "onnxruntime-gpu" : std::string(framework);
}

bool RunsOnGpus(const Scene& scene, const FrameworkRelease& row, const Version* driver) {
  if (!scene.stack().gpus) return true;
  for (const snapshot::Gpu& gpu : *scene.stack().gpus) {
    const auto capability = Version::Parse(gpu.compute_capability);
    if (!capability) continue;
    if (OnArm(scene)) {
      if (knowledge::CodeRunsOn(row.code_aarch64, *capability) != knowledge::CodeFit::kMachineCode)
        return false;
    } else if (FrameworkOnGpu(row, *capability, driver, scene.platform()).verdict != Verdict::kYes) {
      return false;
    }
  }
  return true;
}

bool Suits(const Scene& scene, const PythonEnvironment& environment, const FrameworkRelease& row,
           const std::string& version) {
  const auto driver = Version::Parse(DriverVersion(scene));
  if (FrameworkOnPlatform(row, scene.platform()).verdict != Verdict::kYes) return false;
  if (driver && FrameworkOnDriver(row, *driver, scene.platform()).verdict != Verdict::kYes) return false;
  // If the row does not say, the wheels on PyPI do.
  const auto python = Version::Parse(environment.python);
  const auto on_python = python ? FrameworkOnPython(row, *python).verdict : Verdict::kYes;
  if (on_python == Verdict::kNo) return false;
  if (on_python == Verdict::kUnknown) {
    const auto versions = KnownVersions(scene, environment, WheelOf(row.framework));
    if (std::ranges::find(versions, version) == versions.end()) return false;
  }
  return RunsOnGpus(scene, row, driver ? &*driver : nullptr);
}

// What pip installs; nullopt for a framework whose package versions are unknown.
std::optional<Build> BuildOf(const Scene& scene, const FrameworkRelease& row, const std::string& version) {
  if (row.framework == "torch") {
    // PyPI has one CUDA build for Linux on x86-64; its Windows builds have no CUDA.
    const bool there = row.is_default && !scene.OnWindows() && !OnArm(scene);
    if (there) return Build{{"torch", version}, ""};
    const std::string whole = version + "+" + std::string(row.variant);
    return Build{{"torch", whole}, PytorchIndex(whole)};
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
    auto rows = knowledge::FindFramework(framework, *parsed);
    std::erase_if(rows, [&](const auto* row) {
      return !Suits(scene, environment, *row, version) ||
             (!cuda_major.empty() && MajorOf(std::string(row->cuda)) != cuda_major);
    });
    if (rows.empty()) continue;
    // Prefer builds that the tables know more about: rows without cuDNN are rarely used builds.
    const auto whole = [](const FrameworkRelease* row) { return !row->cudnn.empty(); };
    if (std::ranges::any_of(rows, whole)) std::erase_if(rows, std::not_fn(whole));
    const auto by_default =
        std::ranges::find_if(rows, [](const FrameworkRelease* row) { return row->is_default; });
    auto chosen =
        by_default != rows.end() ? by_default : std::ranges::find_if(rows, [&](const FrameworkRelease* row) {
          return HasCudaMajor(environment, row->cuda);
        });
    // Of several, the one for the newest CUDA, which is listed last.
    const FrameworkRelease* row = chosen != rows.end() ? *chosen : rows.back();
    auto build = BuildOf(scene, *row, version);
    if (!build) continue;
    const Version cuda = knowledge::MinorOf(knowledge::Known(row->cuda));
    return FittingBuild{std::move(*build), row,
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
