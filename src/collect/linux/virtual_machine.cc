// A hypervisor shows itself to its guests: a flag of the CPU, names in the tables of the firmware (DMI), and
// /sys/hypervisor of Xen. The names are those that systemd-detect-virt(1) knows (systemd, src/basic/virt.c).
#include "collect/linux/virtual_machine.h"

#include <array>

#include "base/text.h"
#include "collect/small_file.h"

namespace culprit::collect {
namespace {

struct Vendor {
  std::string_view text;  // at the start of a name in DMI
  std::string_view hypervisor;
  bool makes_hardware = false;  // the name alone does not tell a guest from a server of that maker
};
// Clouds first: what they run on is not what their users know.
constexpr std::array<Vendor, 16> kVendors = {{{"Amazon EC2", "Amazon EC2", true},
                                              {"Google", "Google Compute Engine", true},
                                              {"Microsoft Corporation", "Hyper-V", true},
                                              {"OpenStack", "OpenStack"},
                                              {"KubeVirt", "KubeVirt"},
                                              {"VMware", "VMware"},
                                              {"VMW", "VMware"},
                                              {"innotek GmbH", "VirtualBox"},
                                              {"VirtualBox", "VirtualBox"},
                                              {"Parallels", "Parallels"},
                                              {"Xen", "Xen"},
                                              {"BHYVE", "bhyve"},
                                              {"Apple Virtualization", "Apple Virtualization"},
                                              {"QEMU", "KVM"},
                                              {"KVM", "KVM"},
                                              {"Bochs", "Bochs"}}};

// The CPU says whether there is a hypervisor on x86; on other CPUs only names tell.
enum class Flag { kSet, kNotSet, kUnknown };
Flag HypervisorFlag(const system::System& system) {
  constexpr uint64_t kLimit = uint64_t{8} << 20;
  const auto text = system::ReadWholeFile(system, "/proc/cpuinfo", kLimit);
  if (!text) return Flag::kUnknown;
  for (const std::string& line : base::Split(*text, '\n')) {
    if (!line.starts_with("flags")) continue;
    for (const std::string& word : base::SplitWords(line, " \t:")) {
      if (word == "hypervisor") return Flag::kSet;
    }
    return Flag::kNotSet;
  }
  return Flag::kUnknown;
}

}  // namespace

VirtualMachine FindVirtualMachine(const system::System& system) {
  const Flag flag = HypervisorFlag(system);
  if (flag == Flag::kNotSet) return {};
  for (const char* name : {"sys_vendor", "product_name", "board_vendor", "bios_vendor"}) {
    const std::string path = std::string("/sys/class/dmi/id/") + name;
    const std::string text = FirstLine(ReadSmallFile(system, path));
    for (const Vendor& vendor : kVendors) {
      if (!text.empty() && text.starts_with(vendor.text)) {
        if (flag == Flag::kUnknown && vendor.makes_hardware) continue;
        return {std::string(vendor.hypervisor), path + " says " + text};
      }
    }
  }
  if (FirstLine(ReadSmallFile(system, "/sys/hypervisor/type")) == "xen" &&
      !base::Contains(FirstLine(ReadSmallFile(system, "/proc/xen/capabilities")), "control_d"))
    return {"Xen", "/sys/hypervisor/type"};
  if (flag == Flag::kSet) return {"unknown hypervisor", "the CPU flag \"hypervisor\" in /proc/cpuinfo"};
  return {};
}

bool IsVirtualGpuName(std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return false;
  std::string_view type = name.substr(dash + 1);
  constexpr std::string_view kSeries = "QCBA";
  if (type.size() < 2 || kSeries.find(type.back()) == std::string_view::npos) return false;
  type.remove_suffix(1);
  return base::IsNumber(type);
}

}  // namespace culprit::collect
