#include "rules/kit/driver/driver_facts.h"

#include <algorithm>

#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/driver/driver_choice.h"
#include "rules/kit/load_facts.h"

namespace culprit::rules {

using snapshot::Driver;
using snapshot::DriverLibrary;
using snapshot::FactState;

const snapshot::Context& Circumstances(const Scene& scene) {
  static const snapshot::Context none;
  return scene.stack().context ? *scene.stack().context : none;
}

bool HasVirtualGpu(const Scene& scene) {
  const auto& gpus = scene.stack().gpus;
  return gpus && std::ranges::any_of(*gpus, &snapshot::Gpu::virtual_gpu);
}

void LacksGpus(const Scene& scene, Ruling& ruling) {
  const auto& gpus = scene.stack().gpus;
  ruling.NotEnoughFacts("GPUs", gpus.why,
                        gpus.state == FactState::kNotApplicable || Circumstances(scene).wsl);
}

const Driver* KernelSide(const Scene& scene, Ruling& ruling) {
  const auto& driver = scene.stack().driver;
  if (!driver) {
    if (driver.state == FactState::kNotApplicable) {
      ruling.NotApplicable();
    } else {
      ruling.NotEnoughFacts("the driver", driver.why.empty() ? "was not checked" : driver.why);
    }
    return nullptr;
  }
  const snapshot::Context& here = Circumstances(scene);
  if (driver->assumed || driver->kernel_version.state == FactState::kNotApplicable || here.wsl ||
      !here.jetson.empty()) {
    ruling.NotApplicable();
    return nullptr;
  }
  if (driver->kernel_version.state == FactState::kUnreadable) {
    ruling.NotEnoughFacts("the loaded kernel module",
                          driver->kernel_version.source + ": " + driver->kernel_version.why);
    return nullptr;
  }
  return &*driver;
}

const Driver* KernelSideOfImage(const Scene& scene, Ruling& ruling) {
  const bool known = IsImageForHost(scene) && !scene.stack().driver->given.empty();
  return known ? &*scene.stack().driver : KernelSide(scene, ruling);
}

bool IsLoaded(const Driver& driver, std::string_view module) {
  if (module == "nvidia" && driver.kernel_version) return true;
  return driver.modules && std::ranges::find(*driver.modules, module) != driver.modules->end();
}

std::optional<base::Version> ModuleVersion(const Driver& driver) {
  return driver.kernel_version ? base::Version::Parse(*driver.kernel_version) : std::nullopt;
}

const DriverLibrary* FindDriverLibrary(const Driver& driver) {
  for (const DriverLibrary& library : driver.libraries) {
    const bool serves = library.kind != snapshot::DriverLibraryKind::kStub &&
                        library.kind != snapshot::DriverLibraryKind::kCompat;
    const bool cuda = library.name == "libcuda.so.1" || library.name == "nvcuda.dll";
    if (cuda && serves && !library.real_path.empty() && library.size > 0) {
      return &library;
    }
  }
  return nullptr;
}

std::optional<LoadedCopy> FindLoaded(const Scene& scene, const loader::Scenario& scenario,
                                     std::string_view family) {
  for (const loader::Object& object : scenario.graph.objects) {
    const std::string_view name = base::BaseName(object.path);
    if (name != family && !name.starts_with(std::string(family) + ".")) continue;
    LoadedCopy loaded{.object = &object};
    if (scene.stack().driver) {
      for (const DriverLibrary& library : scene.stack().driver->libraries) {
        if (library.real_path != object.real_path) continue;
        if (loaded.copy == nullptr || library.path == object.path) loaded.copy = &library;
      }
    }
    if (loaded.copy != nullptr) {
      loaded.kind = loaded.copy->kind;
      loaded.version = loaded.copy->version;
    }
    return loaded;
  }
  return std::nullopt;
}

const loader::Scenario* AnyProgram(const Scene& scene) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (scenario.kind == loader::Scenario::Kind::kAnyProgram) return &scenario;
  }
  return nullptr;
}

std::optional<LoadedCopy> OwnLibcuda(const Scene& scene, Ruling& ruling) {
  const Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return std::nullopt;
  const loader::Scenario* any = AnyProgram(scene);
  auto loaded = any != nullptr ? FindLoaded(scene, *any, "libcuda.so") : std::nullopt;
  if (driver->kernel_version && loaded && loaded->version == *driver->kernel_version) return loaded;
  ruling.NotApplicable();
  return std::nullopt;
}

std::vector<const snapshot::Gpu*> KnownGpus(const Scene& scene) {
  std::vector<const snapshot::Gpu*> gpus;
  if (!scene.stack().gpus) return gpus;
  for (const snapshot::Gpu& gpu : *scene.stack().gpus) gpus.push_back(&gpu);
  return gpus;
}

std::string NameOf(const snapshot::Gpu& gpu) {
  std::string name = !gpu.name.empty()        ? gpu.name
                     : !gpu.chip.empty()      ? gpu.chip
                     : !gpu.device_id.empty() ? "NVIDIA GPU with PCI id 10de:" + gpu.device_id
                                              : "GPU of compute capability " + gpu.compute_capability;
  return gpu.bus_id.empty() ? name : name + " at " + gpu.bus_id;
}

std::string_view ModprobePath() { return "/usr/bin/nvidia-modprobe"; }

std::vector<UndrivenGpu> UndrivenGpus(const Scene& scene, Ruling& ruling) {
  const auto& driver = scene.stack().driver;
  const auto version = driver ? ModuleVersion(*driver) : std::nullopt;
  if (!version) ruling.NotApplicable();
  std::vector<UndrivenGpu> undriven;
  if (!version || !Circumstances(scene).jetson.empty()) return undriven;
  for (const snapshot::Gpu* gpu : KnownGpus(scene)) {
    const auto capability = base::Version::Parse(gpu->compute_capability);
    const auto* row = capability ? knowledge::FindCapability(*capability) : nullptr;
    if (row == nullptr || row->jetson) continue;
    if (!gpu->minor.empty() && !gpu->assumed && !driver->assumed) continue;  // the driver lists it
    undriven.push_back({&*driver, *version, gpu, *capability, row});
  }
  return undriven;
}

report::Finding& Fire(const Scene& scene, Ruling& ruling, const UndrivenGpu& undriven, std::string summary,
                      const std::string& needs) {
  const auto& [driver, version, gpu, capability, row] = undriven;
  report::Finding& finding =
      ruling.Fire(std::move(summary), gpu->bus_id.empty() ? NameOf(*gpu) : gpu->bus_id);
  finding.evidence = {{"the driver is " + *driver->kernel_version, driver->kernel_version.source},
                      {"its compute capability is " + gpu->compute_capability, gpu->source},
                      {std::string(row->architecture), std::string(row->source)}};
  finding.fix = {
      .text = "install a driver of branch " + needs, .commands = {}, .risk = report::Risk::kMedium};
  if (const std::string choice = ChooseDriver(scene).version; !choice.empty())
    finding.fix.changes = {report::InstallDriver{choice}};
  return finding;
}

std::string ModprobeProblem(const Scene& scene) {
  const std::string path(ModprobePath());
  const snapshot::FileFacts& file = scene.view.Open(path);
  if (file.error == base::PathError::kNoEntry) return path + " is not installed";
  if (file.error == base::PathError::kNone && !file.set_user_id && !Circumstances(scene).root) {
    return path + " is not setuid";
  }
  return "";  // it works, as far as we know
}

namespace {

bool OnDistribution(const Scene& scene, std::string_view name) {
  return Circumstances(scene).distribution.find(name) != std::string::npos;
}

// "the NVIDIA driver, 580.65.06 or newer,"
std::string DriverInWords(const DriverChoice& choice) {
  if (choice.version.empty()) return "";
  if (choice.at_most)
    return " of branch " + choice.version.substr(0, choice.version.find('.')) +
           " (newer ones do not support this GPU)";
  if (choice.because.empty()) return "";
  return ", " + choice.version + " or newer for " + choice.because + ",";
}

}  // namespace

report::Fix InstallDriver(const Scene& scene) {
  const DriverChoice choice = ChooseDriver(scene);
  report::Fix fix{.text = "install the NVIDIA driver" + DriverInWords(choice) +
                          " and reboot; do not mix distribution packages with NVIDIA's .run file",
                  .commands = {},
                  .risk = report::Risk::kMedium};
  if (!choice.version.empty()) fix.changes = {report::InstallDriver{choice.version}};
  if (scene.OnWindows()) {
    fix.text = "install NVIDIA's driver for this GPU (GeForce or Studio driver for GeForce cards, the " +
               std::string("data-center driver otherwise)") + DriverInWords(choice) +
               " and restart; only the driver provides nvcuda.dll: do not download that file by itself";
    fix.commands = {"nvidia-smi"};
  } else if (InContainer(scene)) {
    fix.text =
        "install the driver on the host, not in the container, and start the container with GPU access";
    fix.commands = {"nvidia-smi   # on the host: must list the GPU first"};
    fix.risk = report::Risk::kLow;
    if (!choice.version.empty()) fix.changes.push_back(report::StartContainer{choice.version});
  } else if (OnDistribution(scene, "Ubuntu")) {
    fix.commands = {"sudo ubuntu-drivers install", "sudo reboot"};
  } else if (OnDistribution(scene, "Debian")) {
    fix.text += "; the package is in Debian's non-free section";
    fix.commands = {"sudo apt install nvidia-driver", "sudo reboot"};
  } else if (OnDistribution(scene, "Fedora")) {
    fix.text += "; the package is in RPM Fusion's nonfree repository";
    fix.commands = {"sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda", "sudo reboot"};
  } else if (OnDistribution(scene, "Arch")) {
    fix.commands = {"sudo pacman -S nvidia-open nvidia-utils", "sudo reboot"};
  }
  return fix;
}

Command InstallComputeLibraries(const Scene& scene, const std::string& version) {
  if (OnDistribution(scene, "Ubuntu"))
    return "sudo apt install --reinstall libnvidia-compute-" + Plain(version.substr(0, version.find('.')));
  if (OnDistribution(scene, "Debian"))
    return "sudo apt install --reinstall libcuda1 libnvidia-ml1 libnvidia-ptxjitcompiler1";
  if (OnDistribution(scene, "Fedora")) return "sudo dnf reinstall xorg-x11-drv-nvidia-cuda-libs";
  if (OnDistribution(scene, "Arch")) return "sudo pacman -S nvidia-utils";
  return "";
}

void AddNodeMaker(const Scene& scene, report::Fix& fix) {
  const std::string path(ModprobePath());
  const std::string problem = ModprobeProblem(scene);
  if (problem.empty()) return;  // nodes are created when a program starts
  if (scene.view.Open(path).error == base::PathError::kNone) {
    fix.commands.push_back("sudo chmod u+s " + Word(path));
  } else {
    if (OnDistribution(scene, "Arch")) fix.commands.emplace_back("sudo pacman -S nvidia-utils");
    if (OnDistribution(scene, "Fedora")) fix.commands.emplace_back("sudo dnf install nvidia-modprobe");
    if (OnDistribution(scene, "Debian") || OnDistribution(scene, "Ubuntu"))
      fix.commands.emplace_back("sudo apt install nvidia-modprobe");
    fix.text += "; also install nvidia-modprobe, which creates the device nodes";
    fix.changes.push_back(report::PutLibrary{.path = path, .program = true});
  }
  fix.changes.push_back(report::SetMode{path, 04755});
}

void AddNodes(const Scene& scene, report::Fix& fix) {
  Command command = "sudo nvidia-modprobe";
  fix.changes.push_back(report::PutDevice{.path = "/dev/nvidiactl"});
  const size_t count = std::max<size_t>(KnownGpus(scene).size(), 1);
  for (size_t minor = 0; minor < count; ++minor) {
    command += " -c " + Plain(std::to_string(minor));
    fix.changes.push_back(report::PutDevice{.path = "/dev/nvidia" + std::to_string(minor)});
  }
  fix.commands.push_back(command + " -u");
  fix.changes.push_back(report::LoadModule{"nvidia-uvm", ""});
  for (const char* path : {"/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"})
    fix.changes.push_back(report::PutDevice{.path = path});
}

report::Fix WithoutCompat(const Scene& scene, const loader::Object& libcuda) {
  const std::string directory(base::DirName(libcuda.path));
  if (libcuda.via == loader::Via::kLdLibraryPath) return WithoutSearchDirectory(scene, directory);
  const auto& given = scene.stack().driver->given;
  const auto put = std::ranges::find(given, libcuda.path, &snapshot::GivenLibrary::path);
  if (put != given.end() && put->from == snapshot::GivenFrom::kCompat) {
    report::Fix fix{.text =
                        "remove the cuda-compat package from the image: the container runtime puts its "
                        "libraries before the host's",
                    .commands = {"apt-get purge -y 'cuda-compat-*'   # in the image's Dockerfile"},
                    .risk = report::Risk::kLow,
                    .changes = {report::RemoveFile{directory}}};
    return fix;
  }
  return {.text = "remove " + directory + " from the loader's configuration",
          .commands = {"grep -rn compat /etc/ld.so.conf.d", "sudo ldconfig"},
          .risk = report::Risk::kLow,
          .changes = NotSearchedByLdconfig(directory)};
}

report::Evidence ModuleEvidence(const Driver& driver) {
  if (!driver.kernel_version && !driver.modules) {
    return {"no NVIDIA driver is installed", driver.kernel_version.source};
  }
  if (driver.assumed && driver.kernel_version)
    return {"the host's driver is " + *driver.kernel_version, driver.kernel_version.source};
  if (driver.kernel_version) {
    return {"the loaded kernel module is " + *driver.kernel_version, driver.kernel_version.source};
  }
  return {"no NVIDIA kernel module is loaded",
          driver.modules ? driver.modules.source : driver.kernel_version.source};
}

}  // namespace culprit::rules
