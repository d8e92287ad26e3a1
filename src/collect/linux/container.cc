#include "collect/linux/container.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "collect/small_file.h"

namespace culprit::collect {
namespace {

bool Exists(const Surroundings& around, const std::string& path) {
  return around.system.Stat(path).has_value();
}

// A word in a text of the kernel -> the runtime that puts it there. The first that fits counts: a pod's
// cgroup is called kubepods and lies below docker or containerd.
std::string RuntimeIn(const std::string& text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords = {
      {{"kubepods", "kubernetes"},
       {"libpod", "podman"},
       {"/docker", "docker"},
       {"containerd", "container"},
       {"/lxc", "lxc"},
       {"crio", "kubernetes"}}};
  for (const auto& [word, runtime] : kWords) {
    if (text.find(word) != std::string::npos) return std::string(runtime);
  }
  return "";
}

// The root file system of a container is mostly an overlay whose layers lie in the runtime's store.
std::string RuntimeOfRootMount(const std::string& mountinfo) {
  for (const std::string& line : base::Split(mountinfo, '\n')) {
    const std::vector<std::string> words = base::SplitWords(line, " ");
    if (words.size() < 5 || words[4] != "/") continue;
    if (line.find("/containerd/") != std::string::npos) return "container";
    if (line.find("/docker/overlay2/") != std::string::npos) return "docker";
    if (line.find("/containers/storage/") != std::string::npos) return "podman";
  }
  return "";
}

}  // namespace

Container FindContainer(const Surroundings& around) {
  for (const char* variable : {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER", "APPTAINER_NAME"}) {
    if (around.environment.contains(variable)) return {"singularity", variable};
  }
  if (Exists(around, "/.singularity.d")) return {"singularity", "/.singularity.d"};
  if (around.environment.contains("KUBERNETES_SERVICE_HOST"))
    return {"kubernetes", "KUBERNETES_SERVICE_HOST"};
  if (Exists(around, "/run/.containerenv")) return {"podman", "/run/.containerenv"};
  if (Exists(around, "/.dockerenv")) return {"docker", "/.dockerenv"};
  if (around.host_unseen)
    return around.image ? Container{"image", "no kernel in this root file system"} : Container{};
  if (const auto text = ReadSmallFile(around.system, "/proc/1/cgroup")) {
    if (std::string runtime = RuntimeIn(*text); !runtime.empty()) return {std::move(runtime), text.source};
  }
  if (const auto text = ReadSmallFile(around.system, "/proc/self/mountinfo")) {
    if (std::string runtime = RuntimeOfRootMount(*text); !runtime.empty()) {
      return {std::move(runtime), text.source};
    }
  }
  return {};
}

bool IsWsl(const Surroundings& around) {
  if (around.host_unseen) return false;
  std::string release = FirstLine(ReadSmallFile(around.system, "/proc/sys/kernel/osrelease"));
  for (char& c : release) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return release.find("microsoft") != std::string::npos || Exists(around, "/dev/dxg");
}

bool ShowsItsKernel(const system::System& system) {
  static constexpr std::array<const char*, 3> kSigns = {"/proc/sys/kernel/osrelease", "/proc/modules",
                                                        "/proc/driver/nvidia/version"};
  return std::ranges::any_of(kSigns, [&](const char* path) { return system.Stat(path).has_value(); });
}

bool BringsKernel(const system::System& system) {
  return std::ranges::any_of(std::array{"/lib/modules", "/usr/lib/modules"}, [&](const char* path) {
    const auto kernels = system.List(path);
    return kernels && !kernels->empty();
  });
}

}  // namespace culprit::collect
