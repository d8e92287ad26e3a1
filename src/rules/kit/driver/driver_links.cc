#include "rules/kit/driver/driver_links.h"

#include <array>

#include "base/text.h"
#include "rules/kit/changes.h"
#include "rules/kit/driver/driver_facts.h"

namespace culprit::rules {
namespace {

constexpr std::array<std::string_view, 3> kFamilies = {"libcuda.so", "libnvidia-ml.so",
                                                       "libnvidia-ptxjitcompiler.so"};

// Every symlink of that directory that the alternative switches, with its new target.
Changes Switched(const Scene& scene, const std::string& directory, std::string_view version) {
  Changes changes;
  for (const std::string_view family : kFamilies) {
    const auto* copy = CopyOfVersion(*scene.stack().driver, family, version);
    const std::string link = base::JoinPath(directory, std::string(family) + ".1");
    if (copy != nullptr && IsAlternative(scene, link))
      changes.push_back(report::PutLink{link, copy->real_path});
  }
  return changes;
}

}  // namespace

const snapshot::DriverLibrary* CopyOfVersion(const snapshot::Driver& driver, std::string_view family,
                                             std::string_view version) {
  for (const snapshot::DriverLibrary& library : driver.libraries) {
    if (library.kind == snapshot::DriverLibraryKind::kDriver && library.version == version &&
        library.size > 0 && library.name.starts_with(std::string(family) + "."))
      return &library;
  }
  return nullptr;
}

const snapshot::DriverLibrary* DanglingLibcuda(const Scene& scene, const snapshot::Driver& driver) {
  const loader::Scenario* any = AnyProgram(scene);
  if (any == nullptr || FindLoaded(scene, *any, "libcuda.so")) return nullptr;
  const auto place = [&](const std::string& path) {
    return scene.view.RealPath(std::string(base::DirName(path)));
  };
  for (const snapshot::DriverLibrary& library : driver.libraries) {
    const bool own = library.kind == snapshot::DriverLibraryKind::kDriver ||
                     library.kind == snapshot::DriverLibraryKind::kContainer;
    if (!own || library.name != "libcuda.so.1" || !library.real_path.empty()) continue;
    for (const loader::Request& request : any->graph.requests) {
      if (request.name != library.name) continue;
      for (const loader::Attempt& attempt : request.attempts) {
        if (place(attempt.path) == place(library.path)) return &library;
      }
    }
  }
  return nullptr;
}

bool IsAlternative(const Scene& scene, const std::string& path) {
  const std::string directory = scene.view.RealPath(std::string(base::DirName(path)));
  const std::string name(base::BaseName(path));
  const snapshot::FileFacts& link =
      scene.view.Open("/etc/alternatives/nvidia--" + name + "-" + std::string(base::BaseName(directory)));
  if (link.dangling) return true;
  return link.error == base::PathError::kNone && link.id == scene.view.Open(path).id;
}

report::Fix PointToRightDriver(const Scene& scene, const std::string& path, const std::string& wrong,
                               const snapshot::DriverLibrary& right) {
  const std::string place(base::DirName(right.path));
  const std::string directory = scene.view.RealPath(std::string(base::DirName(path)));
  if (IsAlternative(scene, path)) {
    return {.text = "choose the libraries of driver " + right.version + " in " + place +
                    " again; a reboot does not change this choice",
            .commands = {"sudo update-alternatives --config nvidia"},
            .risk = report::Risk::kLow,
            .changes = Switched(scene, directory, right.version)};
  }
  const std::string link = base::JoinPath(directory, base::BaseName(path));
  if (scene.view.RealPath(place) == directory || wrong.empty()) {
    return {.text = "point " + path + " to " + right.real_path + " again; a reboot does not change a symlink",
            .commands = {"sudo ln -sfn " + Word(right.real_path) + " " + Word(link), "sudo ldconfig"},
            .risk = report::Risk::kLow,
            .changes = {report::PutLink{link, right.real_path}, report::RefreshCache{}}};
  }
  report::Fix fix{
      .text = "remove " + path + ", a leftover that shadows the libraries of driver " + right.version +
              " in " + place + "; a reboot does not remove it",
      .commands = {"dpkg -S " + Word(wrong) + " || rpm -qf " + Word(wrong) + "   # no package must own it",
                   "sudo rm " + (link == wrong ? "" : Word(link) + " ") + Word(wrong), "sudo ldconfig"},
      .risk = report::Risk::kMedium,
      .changes = WithoutFile(scene, path, wrong)};
  fix.changes.push_back(report::RefreshCache{});
  return fix;
}

}  // namespace culprit::rules
