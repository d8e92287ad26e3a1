#include "rules/kit/gpu_code/gpu_code_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "base/text.h"
#include "base/version.h"
#include "binfmt/gpu/gpu_support.h"
#include "knowledge/arch.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules {
namespace {

using binfmt::GpuCode;
using binfmt::GpuSupport;
using binfmt::GpuTarget;
using binfmt::PtxVersion;

constexpr std::array<std::string_view, 7> kLeading = {"torch",       "tensorflow", "jax",  "onnxruntime",
                                                      "ctranslate2", "paddle",     "mxnet"};
// NVIDIA's own, with kernels for some GPUs only; Triton compiles its own.
constexpr std::array<std::string_view, 3> kNotJudged = {"tensorrt", "tensorrt_lean", "triton"};

// Whether a program uses the framework for itself: one of those above, or a package that was recognised by
// its libraries (FAISS, CatBoost) and requires none of them.
bool Leads(const snapshot::PythonEnvironment& environment, const snapshot::Framework& framework) {
  const auto leading = [](std::string_view name) {
    return std::ranges::find(kLeading, name) != kLeading.end();
  };
  if (leading(framework.name)) return true;
  const bool recognised = framework.name == framework.package && framework.source.ends_with(".dist-info");
  const snapshot::PythonPackage* package = environment.Find(framework.package);
  if (!recognised || package == nullptr || package->requirements.empty()) return false;
  return std::ranges::none_of(package->requirements, leading, &snapshot::Requirement::name);
}

// CUDA treats any value but 0 as on.
bool IsOn(const Scene& scene, const char* name) {
  const std::string_view value = scene.Variable(name);
  return !value.empty() && value != "0";
}

bool Runs(const GpuSupport& support) { return support.native + support.jit + support.link > 0; }

// Without machine code, as CUDA_FORCE_PTX_JIT requires.
GpuCode PtxOnly(GpuCode code) {
  for (auto& containers : code.containers) {
    std::erase_if(containers.targets,
                  [](const GpuTarget& target) { return target.kind == GpuTarget::Kind::kSass; });
  }
  return code;
}

// nvcc compiles a framework's own kernels into known sections, so reading those is enough; the rest of the
// file need not be searched.
Fit Judge(const Scene& scene, const GpuCode& code, binfmt::GpuDevice device,
          std::optional<PtxVersion> newest_ptx) {
  const bool jit_allowed = !IsOn(scene, "CUDA_DISABLE_PTX_JIT") && !IsOn(scene, "CUDA_DISABLE_JIT");
  const bool forced = IsOn(scene, "CUDA_FORCE_PTX_JIT") || IsOn(scene, "CUDA_FORCE_JIT");
  const GpuSupport now = binfmt::Judge(forced ? PtxOnly(code) : code, device, newest_ptx, jit_allowed);
  if (Runs(now)) return now.native + now.link > 0 ? Fit::kNative : Fit::kJit;
  if (now.uncertain > 0 || !code.complete) return Fit::kUnknown;
  if ((!jit_allowed || forced) && Runs(binfmt::Judge(code, device, newest_ptx, true))) return Fit::kJitOff;
  if (Runs(binfmt::Judge(code, device, PtxVersion{UINT16_MAX, 0}, true))) return Fit::kPtxTooNew;
  return Fit::kNone;
}

std::string Describe(const GpuCode& code) {
  std::string text;
  std::set<std::string> ptx;
  for (const auto& [target, count] : binfmt::Totals(code, binfmt::GpuPart::kListed)) {
    if (target.kind == GpuTarget::Kind::kSass) text += (text.empty() ? "" : ", ") + target.Name();
  }
  for (const auto& containers : code.containers) {
    for (const GpuTarget& target : containers.targets) {
      if (target.kind != GpuTarget::Kind::kPtx) continue;
      ptx.insert(target.Name() + " (PTX " + std::to_string(target.ptx_major) + "." +
                 std::to_string(target.ptx_minor) + ")");
    }
  }
  for (const std::string& one : ptx) text += (text.empty() ? "" : ", ") + one;
  return text;
}

std::optional<binfmt::GpuDevice> DeviceWithCode(const snapshot::Gpu& gpu) {
  const auto version = base::Version::Parse(gpu.compute_capability);
  if (!version) return std::nullopt;
  return binfmt::GpuDevice{version->part(0), version->part(1)};
}

std::optional<PtxVersion> NewestPtx(const std::string& driver) {
  const auto version = base::Version::Parse(driver);
  const auto* row = version ? knowledge::NewestPtxOfDriver(*version) : nullptr;
  const auto isa = row == nullptr ? std::nullopt : base::Version::Parse(row->isa);
  if (!isa) return std::nullopt;
  return PtxVersion{static_cast<uint16_t>(isa->part(0)), static_cast<uint16_t>(isa->part(1))};
}

// bitsandbytes uses only its library for torch's CUDA.
bool IsUsed(const snapshot::PythonEnvironment& environment, const snapshot::Framework& framework,
            const std::string& library) {
  if (framework.name != "bitsandbytes") return true;
  const auto* torch = FindFramework(environment, "torch");
  std::string cuda = torch == nullptr ? "" : torch->cuda;
  std::erase(cuda, '.');
  return base::BaseName(library) == "libbitsandbytes_cuda" + cuda + ".so";
}

// What the fit says of one GPU, from the code of its library.
void Fill(const Scene& scene, const snapshot::Fact<GpuCode>& code, GpuFit& fit) {
  const auto device = DeviceWithCode(*fit.gpu);
  if (!code) {
    fit.why = fit.library + ": " + code.why;
    return;
  }
  if (!device) {
    fit.why = "the compute capability of " + DisplayName(*fit.gpu) + " is unknown";
    return;
  }
  const auto newest_ptx = NewestPtx(DriverVersion(scene));
  fit.fit = Judge(scene, *code, *device, newest_ptx);
  fit.has = Describe(*code);
  uint32_t lowest = UINT32_MAX;
  PtxVersion newest;
  for (const auto& containers : code->containers) {
    for (const GpuTarget& target : containers.targets) {
      lowest = std::min(lowest, target.arch);
      if (target.kind == GpuTarget::Kind::kPtx && target.arch <= device->major * 10 + device->minor)
        newest = std::max(newest, PtxVersion{target.ptx_major, target.ptx_minor});
    }
  }
  if (newest > PtxVersion{}) fit.ptx = std::to_string(newest.major) + "." + std::to_string(newest.minor);
  fit.lowest = "sm_" + std::to_string(lowest);
  fit.gpu_is_older = device->major * 10 + device->minor < lowest;
  if (fit.fit != Fit::kUnknown) return;
  fit.why = newest_ptx ? (code->complete ? "culprit does not understand all of its GPU code" : code->problem)
                       : "it depends on PTX, and the newest PTX that the driver supports is unknown";
}

// One fit per kind of GPU; `like` has everything but the GPU.
void AddFits(const Scene& scene, const GpuFit& like, const snapshot::Fact<GpuCode>& code,
             std::vector<GpuFit>& fits) {
  if (code && code->containers.empty() && code->complete) return;
  std::set<std::string> seen;
  for (const snapshot::Gpu& gpu : *scene.stack().gpus) {
    if (!seen.insert(gpu.compute_capability).second) continue;
    GpuFit& fit = fits.emplace_back(like);
    fit.gpu = &gpu;
    Fill(scene, code, fit);
  }
}

void AddFrameworks(const Scene& scene, Role role, std::vector<GpuFit>& fits) {
  if (!scene.stack().environments) return;
  for (const auto& environment : *scene.stack().environments) {
    for (const auto& framework : environment.frameworks) {
      if (std::ranges::find(kNotJudged, framework.name) != kNotJudged.end()) continue;
      if (Leads(environment, framework) != (role == Role::kLeads)) continue;
      for (const std::string& library : framework.libraries) {
        if (!IsUsed(environment, framework, library)) continue;
        AddFits(scene, {.environment = &environment, .framework = &framework, .library = library},
                scene.view.GpuCode(library), fits);
      }
    }
  }
}

// Frameworks know which of their files matter; a program needs all that it loads.
bool IsOfFramework(const Scene& scene, const std::string& path) {
  if (!scene.stack().environments) return false;
  return std::ranges::any_of(*scene.stack().environments, [&](const auto& environment) {
    return std::ranges::any_of(environment.frameworks, [&](const snapshot::Framework& framework) {
      return std::ranges::find(framework.libraries, path) != framework.libraries.end();
    });
  });
}

void AddPrograms(const Scene& scene, std::vector<GpuFit>& fits) {
  using Kind = loader::Scenario::Kind;
  std::set<std::string> seen;
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (scenario.kind != Kind::kProgram && scenario.kind != Kind::kProcess) continue;
    for (const loader::Object& object : scenario.graph.objects) {
      if (loader::LibraryOf(object) != nullptr || !seen.insert(object.path).second ||
          IsOfFramework(scene, object.path))
        continue;
      const auto code = scene.view.GpuCode(object.path);
      if (!code || code->containers.empty()) continue;  // most of what a program loads
      AddFits(scene, {.program = &scenario, .library = object.path}, code, fits);
    }
  }
}

}  // namespace

std::string DriverVersion(const Scene& scene) {
  const auto& driver = scene.stack().driver;
  return driver && driver->kernel_version ? *driver->kernel_version : "";
}

std::string DisplayName(const snapshot::Gpu& gpu) {
  std::string sm = gpu.compute_capability;
  std::erase(sm, '.');
  sm = sm.empty() ? "compute capability unknown" : "sm_" + sm;
  return gpu.name.empty() || gpu.assumed ? sm : gpu.name + " (" + sm + ")";
}

std::vector<GpuFit> GpuFits(const Scene& scene, Role role, Ruling& ruling) {
  std::vector<GpuFit> fits;
  const Presence gpu = GpuPresence(scene);
  if (gpu == Presence::kNo) ruling.NotApplicable();
  if (gpu == Presence::kUnknown) LacksGpus(scene, ruling);
  if (gpu != Presence::kYes) return fits;
  AddFrameworks(scene, role, fits);
  // One of a framework's files may contain all kernels of one kind: the best file counts for a GPU.
  std::vector<GpuFit> best;
  for (GpuFit& fit : fits) {
    const auto known = std::ranges::find_if(
        best, [&](const GpuFit& other) { return other.framework == fit.framework && other.gpu == fit.gpu; });
    if (known == best.end()) {
      best.push_back(std::move(fit));
    } else if (fit.fit < known->fit) {
      *known = std::move(fit);
    }
  }
  if (role == Role::kLeads) AddPrograms(scene, best);
  return best;
}

std::string GpuFit::Title() const {
  return framework == nullptr ? library : TitleOf(*environment, *framework);
}

std::string GpuFit::Affected() const { return program == nullptr ? Title() : program->title; }

report::Finding& Fire(Ruling& ruling, const GpuFit& fit, const std::string& says) {
  return Fire(ruling, fit, fit.Title() + " " + says, fit.library);
}

report::Finding& Fire(Ruling& ruling, const GpuFit& fit, std::string summary, std::string subject) {
  report::Finding& finding =
      ruling.Fire(std::move(summary), std::move(subject), {fit.Title(), DisplayName(*fit.gpu)});
  finding.affects.push_back(fit.Affected());
  finding.evidence.push_back({"it has code for " + fit.has, fit.library});
  finding.evidence.push_back({DisplayName(*fit.gpu), fit.gpu->assumed ? "--host" : fit.gpu->source});
  return finding;
}

}  // namespace culprit::rules
