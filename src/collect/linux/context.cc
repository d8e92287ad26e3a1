// Collector of the circumstances: container and what its runtime mounted, virtual machine, WSL, Jetson, root
// and sudo, Slurm, distribution, secure boot.
#include <array>

#include "base/text.h"
#include "collect/linux/container.h"
#include "collect/linux/virtual_machine.h"
#include "collect/small_file.h"
#include "collect/stack.h"

namespace culprit::collect {
namespace {

using snapshot::Context;
using snapshot::Fact;

constexpr std::array<std::string_view, 16> kContextReads = {
    "/.dockerenv",
    "/.singularity.d",
    "/run/.containerenv",
    "/proc/1/cgroup",
    "/proc/self/mountinfo",
    "/proc/self/status",
    "/proc/sys/kernel/osrelease",
    "/dev/dxg",
    "/etc/nv_tegra_release",
    "/etc/os-release",
    "/usr/lib/os-release",
    "/sys/firmware/efi/efivars/SecureBoot-*",
    "/proc/cpuinfo",
    "/sys/class/dmi/id/*",
    "/sys/hypervisor/type",
    "/proc/xen/capabilities",
};

std::string Distribution(const system::System& system) {
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const auto text = ReadSmallFile(system, path);
    if (!text) continue;
    for (const std::string& line : base::Split(*text, '\n')) {
      constexpr std::string_view kKey = "PRETTY_NAME=";
      if (!line.starts_with(kKey)) continue;
      std::string_view value = base::Trim(std::string_view(line).substr(kKey.size()));
      if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
          value.back() == value.front()) {
        value = value.substr(1, value.size() - 2);
      }
      return std::string(value);
    }
  }
  return "";
}

// "# R36 (release), REVISION: 4.3, GCID: ..." -> "36.4.3"; another text as it is.
std::string JetsonRelease(const system::System& system) {
  std::string line = FirstLine(ReadSmallFile(system, "/etc/nv_tegra_release"));
  const size_t release = line.find('R');
  const size_t revision = line.find("REVISION: ");
  if (release == std::string::npos || revision == std::string::npos) return line;
  const std::string major = line.substr(release + 1, line.find(' ', release) - release - 1);
  const size_t start = revision + 10;
  return major + "." + line.substr(start, line.find(',', start) - start);
}

// A variable of the firmware: four bytes of attributes, then the value.
std::string SecureBoot(const system::System& system) {
  const auto text =
      ReadSmallFile(system, "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
  if (text && text->size() >= 5) return (*text)[4] == 1 ? "on" : "off";
  // Without EFI there is no secure boot; without the variable nothing is known.
  return system.Stat("/sys") && !system.Stat("/sys/firmware/efi") ? "off" : "";
}

bool EffectiveRoot(const system::System& system) {
  const auto text = ReadSmallFile(system, "/proc/self/status");
  if (!text) return false;
  for (const std::string& line : base::Split(*text, '\n')) {
    if (!line.starts_with("Uid:")) continue;
    const std::vector<std::string> words = base::SplitWords(line, " \t");
    return words.size() > 2 && words[2] == "0";
  }
  return false;
}

// Mount points are written with \040 for a space and so on.
std::string Unescape(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto octal = [&](size_t at) { return text[at] >= '0' && text[at] <= '7'; };
    if (text[i] == '\\' && i + 3 < text.size() && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool IsDriverFile(std::string_view name) {
  return name.starts_with("libcuda.so") || name.starts_with("libcudadebugger.so") ||
         name.starts_with("libnvidia-") || name.starts_with("libnvcuvid.so") ||
         name.starts_with("libnvoptix.so") || name == "nvidia-smi" || name == "nvidia-persistenced" ||
         name == "libdxcore.so" || name == "libcuda_loader.so";
}

// Single driver files that are mounted, as container runtimes do it.
std::vector<std::string> InjectedFiles(const system::System& system) {
  constexpr size_t kMost = 256;
  std::vector<std::string> files;
  const auto text = system::ReadWholeFile(system, "/proc/self/mountinfo", uint64_t{4} << 20);
  if (!text) return files;
  for (const std::string& line : base::Split(*text, '\n')) {
    const std::vector<std::string> words = base::SplitWords(line, " ");
    if (words.size() < 5 || files.size() >= kMost) continue;
    std::string point = Unescape(words[4]);
    if (IsDriverFile(base::BaseName(point)) || point == "/usr/lib/wsl/lib") files.push_back(std::move(point));
  }
  return files;
}

}  // namespace

const CollectorInfo kContextCollector = {"context", kContextReads};

Fact<Context> CollectContext(const Surroundings& around) {
  Context context;
  const Container container = FindContainer(around);
  context.container = container.runtime;
  context.container_source = container.source;
  context.jetson = JetsonRelease(around.system);
  context.distribution = Distribution(around.system);
  if (!around.host_unseen) {
    context.wsl = IsWsl(around);
    if (!context.wsl) {
      const VirtualMachine machine = FindVirtualMachine(around.system);
      context.virtual_machine = machine.hypervisor;
      context.virtual_machine_source = machine.source;
    }
    context.root = EffectiveRoot(around.system);
    context.sudo_user = base::ValueOf(around.environment, "SUDO_USER");
    context.slurm_job = base::ValueOf(around.environment, "SLURM_JOB_ID");
    context.kernel = FirstLine(ReadSmallFile(around.system, "/proc/sys/kernel/osrelease"));
    context.secure_boot = SecureBoot(around.system);
    if (!context.container.empty()) context.injected = InjectedFiles(around.system);
  }
  return Fact<Context>::Of(std::move(context), "context");
}

}  // namespace culprit::collect
