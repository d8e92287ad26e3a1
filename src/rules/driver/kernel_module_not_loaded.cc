// CUL1003: the driver is installed, but its kernel module is not loaded.
#include "base/text.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::kernel_module_not_loaded {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The library libcuda.so.1 is installed, but the kernel module `nvidia` is not loaded.

## Why it breaks
Without the module there is no device: cudaErrorNoDevice (100), "NVIDIA-SMI has failed because it couldn't communicate
with the NVIDIA driver". Usual reasons: the module was not built for the running kernel, its build failed (DKMS), secure boot
rejected it, modprobe is told not to load it, or the machine was not rebooted after the installation.

## How culprit knows
libcuda.so.1 was found; /sys/module/nvidia and /proc/driver/nvidia do not exist. culprit names the modprobe.d line, or
the kernel option, that keeps the module out (blacklist, alias off, install /bin/false). Reasons that files show have
their own codes: another kernel (CUL1004), nouveau (CUL1005), vfio (CUL1006), secure boot (CUL1020), no GPU (CUL1025).
## Fix
Load it by hand and read what the kernel says. If there is no module for this kernel, rebuild it.

## When this is not your problem
A laptop has switched off its NVIDIA GPU, or you only compile on this machine.

## Sources
NVIDIA driver README, chapters Installing and Common Problems; modprobe.d(5).
)md";

std::string Files(const std::vector<snapshot::ModuleFile>& files, const std::string& kernel) {
  for (const snapshot::ModuleFile& file : files) {
    if (file.kernel == kernel) return file.path;
  }
  return "";
}

// Whether a rule with a better reason fires.
bool Explained(const Scene& scene, const snapshot::Driver& driver, const std::string& file) {
  const auto& gpus = scene.stack().gpus;
  if (gpus && gpus->empty()) return true;
  for (const snapshot::Gpu* gpu : KnownGpus(scene)) {
    if (!gpu->bound_to.empty() && gpu->bound_to != "nvidia") return true;
  }
  if (InContainer(scene)) return false;
  if (file.empty() && driver.module_files && !driver.module_files->empty()) return true;
  if (file.empty() || Circumstances(scene).secure_boot != "on") return false;
  for (const snapshot::ModuleFile& module : *driver.module_files) {
    if (module.path == file && module.unsigned_file) return true;
  }
  return false;
}

// The lines that keep the module nvidia itself out.
std::vector<const snapshot::ModuleBar*> BarsOf(const snapshot::Driver& driver) {
  std::vector<const snapshot::ModuleBar*> bars;
  for (const snapshot::ModuleBar& bar : driver.barred) {
    if (bar.module == "nvidia") bars.push_back(&bar);
  }
  return bars;
}

// Comments out these lines and those about the other modules of the driver in the same files.
report::Fix WithoutBars(const snapshot::Driver& driver, const std::vector<const snapshot::ModuleBar*>& bars) {
  report::Fix fix{.text = "", .commands = {}, .risk = report::Risk::kLow};
  std::string files;
  for (const snapshot::ModuleBar* bar : bars) {
    if (base::Contains(files, bar->file)) continue;
    files += (files.empty() ? "" : " and ") + bar->file;
    if (bar->line == 0) {  // the kernel's command line
      fix.commands.push_back("grep -rn blacklist /etc/default/grub /etc/default/grub.d");
      continue;
    }
    std::string numbers;
    for (const snapshot::ModuleBar& line : driver.barred) {
      if (line.file == bar->file) numbers += std::to_string(line.line) + "s/^/# /;";
    }
    fix.commands.push_back("sudo sed -i " + Quoted(numbers) + " " + Word(bar->file));
  }
  fix.text = "remove the nvidia lines from " + files +
             ", then load the module; if prime-select wrote them, run `sudo prime-select nvidia` instead";
  // A copy of the file is in the initial file system.
  fix.commands.push_back("sudo update-initramfs -u || sudo dracut --force");
  fix.commands.push_back("sudo modprobe nvidia");
  return fix;
}

void Check(const Scene& scene, Ruling& ruling) {
  const snapshot::Driver* driver = KernelSide(scene, ruling);
  if (driver == nullptr) return;
  const snapshot::DriverLibrary* library = FindDriverLibrary(*driver);
  if (library == nullptr || IsLoaded(*driver, "nvidia")) return ruling.NotApplicable();
  if (!driver->modules) return ruling.NotEnoughFacts("the loaded modules", driver->modules.why);
  const std::string file = driver->module_files ? Files(*driver->module_files, driver->running_kernel) : "";
  if (Explained(scene, *driver, file)) return;
  report::Finding& finding =
      ruling.Fire("the kernel module nvidia is not loaded, though " + library->path + " is installed" +
                      (InContainer(scene) ? " (the host must load the module)" : ""),
                  "nvidia");
  finding.evidence.push_back(ModuleEvidence(*driver));
  finding.evidence.push_back(
      {library->path + (library->version.empty() ? "" : " is " + library->version), library->real_path});
  if (InContainer(scene)) {
    finding.fix = InstallDriver(scene);
    return;
  }
  if (!file.empty()) {
    finding.evidence.push_back({"a module for kernel " + driver->running_kernel + " is on disk", file});
    if (Circumstances(scene).secure_boot == "on") {
      finding.evidence.push_back(
          {"secure boot is on: the key that signed the module must be enrolled", "EFI"});
    }
    finding.fix = {
        .text = "load the module and read what the kernel says; after a fresh installation, reboot",
        .commands = {"sudo modprobe nvidia", "sudo dmesg | grep -i -E 'nvrm|nvidia' | tail -20"},
        .risk = report::Risk::kLow,
        .changes = {report::LoadModule{"nvidia", library->version}}};
    if (const auto bars = BarsOf(*driver); !bars.empty()) {
      finding.summary += ": " + bars.front()->file + " says `" + bars.front()->text + "`";
      for (const snapshot::ModuleBar* bar : bars) {
        finding.evidence.push_back(
            {(bar->line == 0 ? "it says `" : "line " + std::to_string(bar->line) + " is `") + bar->text + "`",
             bar->file});
      }
      auto changes = std::move(finding.fix.changes);
      finding.fix = WithoutBars(*driver, bars);
      finding.fix.changes = std::move(changes);
    }
    AddNodeMaker(scene, finding.fix);
    AddNodes(scene, finding.fix);
  } else {
    finding.evidence.push_back({"no nvidia.ko for any kernel", "/lib/modules"});
    finding.fix = {
        .text = "install the kernel module in the library's version, with the headers of the running kernel",
        .commands = {"uname -r", "dkms status"},
        .risk = report::Risk::kMedium,
        .changes = {}};
    if (!library->version.empty()) finding.fix.changes = {report::InstallDriver{library->version}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL1003",
                           .name = "kernel_module_not_loaded",
                           .family = Family::kDriver,
                           .cause = "driver-not-loaded",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the driver is installed, but its kernel module is not loaded",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::kernel_module_not_loaded
