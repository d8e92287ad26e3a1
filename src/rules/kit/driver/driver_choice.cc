#include "rules/kit/driver/driver_choice.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "knowledge/arch.h"
#include "knowledge/driver.h"
#include "knowledge/libraries.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"

namespace culprit::rules {
namespace {

using base::Platform;
using base::Version;
using Condition = std::function<bool(const Version&)>;

// Drivers that the tables list, by version; a bare branch ("580") does not count.
std::map<Version, std::string> ReadNamedDrivers(bool windows) {
  std::map<Version, std::string> drivers;
  for (const knowledge::ToolkitRow& row : knowledge::Toolkits()) {
    for (const std::string_view text : {windows ? row.min_driver_windows : row.min_driver_linux,
                                        windows ? row.compat_min_windows : row.compat_min_linux,
                                        windows ? std::string_view() : row.bundled_driver_linux}) {
      const auto version = Version::Parse(text);
      if (version && version->parts.size() > 1) drivers.emplace(*version, text);
    }
  }
  return drivers;
}

const std::map<Version, std::string>& NamedDrivers(Platform platform) {
  static const auto linux_drivers = ReadNamedDrivers(false), windows_drivers = ReadNamedDrivers(true);
  return platform == Platform::kWindows ? windows_drivers : linux_drivers;
}

bool DrivesAll(const Version& driver, const std::vector<Version>& gpus) {
  return std::ranges::all_of(gpus, [&](const Version& gpu) {
    const knowledge::Capability* row = knowledge::FindCapability(gpu);
    return row == nullptr || row->jetson ||
           knowledge::DriverDrives(driver, gpu).verdict == knowledge::Verdict::kYes;
  });
}

// For a framework that links the runtime statically: the CUDA release whose compiler wrote the newest PTX in
// its libraries.
WantedCuda CudaOfCode(const Scene& scene, const snapshot::Framework& framework) {
  WantedCuda wanted;
  Version newest{{0}};
  for (const std::string& library : framework.libraries) {
    const auto code = scene.view.GpuCode(library);
    if (!code) continue;
    for (const auto& containers : code->containers) {
      for (const binfmt::GpuTarget& target : containers.targets) {
        const Version isa{{target.ptx_major, target.ptx_minor}};
        if (target.kind != binfmt::GpuTarget::Kind::kPtx || isa <= newest) continue;
        const auto rows = knowledge::PtxIsas();
        const auto row = std::ranges::find_if(
            rows, [&](const knowledge::PtxIsa& one) { return Version::Parse(one.isa) == isa; });
        if (row == rows.end()) continue;
        newest = isa;
        wanted = {std::string(row->first_cuda), library};
      }
    }
  }
  return wanted;
}

// The major that cuFFT, cuDNN and the like were built for: they have a runtime of it inside.
WantedCuda CudaOfLibraries(const Scene& scene, const loader::Scenario& scenario) {
  for (const loader::Object& object : scenario.graph.objects) {
    const auto* library = LibraryOf(object);
    const bool has_runtime = library != nullptr && (library->family == "cuda" || library->family == "cudnn");
    if (!has_runtime || object.opened_by != loader::OpenedBy::kNeeded) continue;
    const auto version = scene.view.Version(object.path);
    const std::string cuda = version && !version->cuda.empty()
                                 ? version->cuda
                                 : CudaOfSoname(*library, base::BaseName(object.path));
    if (!cuda.empty()) return {cuda, object.path};
  }
  return {};
}

DriverChoice Choose(const Scene& scene, Platform platform, const Condition& also) {
  std::vector<Version> gpus;
  for (const snapshot::Gpu* gpu : KnownGpus(scene)) {
    if (const auto capability = Version::Parse(gpu->compute_capability)) gpus.push_back(*capability);
  }
  std::set<std::string> releases;
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (const WantedCuda wanted = CudaOf(scene, scenario); !wanted.cuda.empty())
      releases.insert(ReleaseOf(wanted.cuda));
  }
  DriverChoice choice;
  for (const std::string& release : releases) {
    choice.because += (choice.because.empty() ? "CUDA " : " and ") + release;
  }
  const std::map<Version, std::string>& named = NamedDrivers(platform);
  std::vector<std::pair<Version, std::string>> serving;
  for (const auto& [version, text] : named) {
    if (DrivesAll(version, gpus) && (!also || also(version))) serving.emplace_back(version, text);
  }
  if (serving.empty()) return choice;
  choice.at_most = !DrivesAll(named.rbegin()->first, gpus);
  if (releases.empty()) {
    choice.version = also ? serving.front().second : serving.back().second;
    return choice;
  }
  using knowledge::DriverSupport;
  for (const auto worst : {DriverSupport::kYes, DriverSupport::kByMinorCompatibility}) {
    for (const auto& [version, text] : serving) {
      const bool runs_all = std::ranges::all_of(releases, [&](const std::string& release) {
        const auto support = knowledge::DriverRunsCuda(version, FirstRelease(release), platform).support;
        return support == DriverSupport::kYes || support == worst;
      });
      if (!runs_all) continue;
      choice.version = text;
      return choice;
    }
  }
  return choice;
}

// The newest CUDA runtime that is linked into a named program or into a library that it loads. Whoever linked
// it into something without GPU code has it in the program.
WantedCuda LinkedRuntime(const Scene& scene, const loader::Scenario& scenario) {
  WantedCuda newest;
  for (const loader::Object& object : scenario.graph.objects) {
    if (LibraryOf(object) != nullptr) continue;
    const bool is_program =
        &object == &scenario.graph.objects.front() && scenario.kind != loader::Scenario::Kind::kFramework;
    const auto code = scene.view.GpuCode(object.path);
    if (!is_program && (!code || code->containers.empty())) continue;
    const auto runtime = scene.view.Version(object.path);
    if (!runtime || runtime->cuda.empty()) continue;
    if (newest.cuda.empty() || Version::Parse(runtime->cuda) > Version::Parse(newest.cuda))
      newest = {runtime->cuda, runtime.source};
  }
  return newest;
}

// "13" of libcudart.so.13, "11.0" of libcudart.so.11.0 and of cudart64_110.dll: the oldest release that it
// can be.
std::string CudaInName(std::string_view name) {
  const bool dll = name.find(".so.") == name.npos;
  const size_t mark = name.find(dll ? "64_" : ".so.");
  if (mark == name.npos) return "";
  name.remove_prefix(mark + (dll ? 3 : 4));
  std::string number(name.substr(0, name.find_first_not_of(dll ? "0123456789" : "0123456789.")));
  if (dll && number.size() == 3) number.insert(2, ".");
  return Version::Parse(number) ? ReleaseOf(number) : "";
}

WantedCuda FindCudaOf(const Scene& scene, const loader::Scenario& scenario) {
  if (scenario.kind == loader::Scenario::Kind::kAnyProgram) return {};
  WantedCuda named;  // by a runtime that does not say its version
  for (const loader::Object& object : scenario.graph.objects) {
    const auto* library = LibraryOf(object);
    if (library == nullptr || library->name != "cudart") continue;
    if (const auto version = scene.view.Version(object.path); version && !version->version.empty()) {
      return {version->version, object.path};
    }
    named = {CudaInName(base::BaseName(object.path)), object.path};
  }
  const snapshot::Framework* framework = scene.FrameworkOf(scenario);
  if (framework != nullptr && framework->cpu_only) return {};
  if (framework != nullptr && !framework->cuda.empty()) return {framework->cuda, framework->source};
  if (!named.cuda.empty()) return named;
  WantedCuda wanted = LinkedRuntime(scene, scenario);
  if (wanted.cuda.empty() && framework != nullptr) wanted = CudaOfCode(scene, *framework);
  return wanted.cuda.empty() ? CudaOfLibraries(scene, scenario) : wanted;
}

}  // namespace

WantedCuda CudaOf(const Scene& scene, const loader::Scenario& scenario) {
  const auto& all = scene.scenarios;
  const auto place = std::ranges::find(all, &scenario, [](const loader::Scenario& one) { return &one; });
  if (place == all.end()) return FindCudaOf(scene, scenario);
  return scene.memo->Once("CudaOf " + std::to_string(place - all.begin()),
                          [&] { return FindCudaOf(scene, scenario); });
}

bool HidesRuntime(const Scene& scene, const loader::Scenario& scenario) {
  const auto is_cuda = [](const loader::Request& request) {
    return knowledge::FindLibrary(base::BaseName(request.name)) != nullptr;
  };
  return std::ranges::none_of(scenario.graph.requests, is_cuda) && HoldsGpuCode(scene, scenario) &&
         LinkedRuntime(scene, scenario).cuda.empty();
}

std::string ReleaseOf(const std::string& cuda) {
  const auto version = Version::Parse(cuda);
  if (!version || version->parts.size() < 2) return cuda;
  return std::to_string(version->part(0)) + "." + std::to_string(version->part(1));
}

std::string FirstRelease(const std::string& release) {
  const bool major_alone = release.size() == 2 && release >= "11";
  return release + (major_alone ? ".0" : "");
}

DriverChoice ChooseDriver(const Scene& scene, const Condition& also) {
  return Choose(scene, scene.platform(), also);
}

DriverChoice ChooseWindowsDriver(const Scene& scene) { return Choose(scene, Platform::kWindows, nullptr); }

}  // namespace culprit::rules
