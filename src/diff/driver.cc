// The driver, its kernel modules, libraries and device nodes, and the GPUs.
#include <algorithm>

#include "base/text.h"
#include "diff/parts.h"

namespace culprit::diff {
namespace {

using report::Difference;
using snapshot::Driver;

void AddKernelSide(Parts& parts, const Driver& before, const Driver& after) {
  const auto [was, is] =
      BothOf(parts, "the version of the loaded kernel module", before.kernel_version, after.kernel_version);
  if (was != nullptr && *was != *is) {
    parts.Add({.how = HowOf(!was->empty(), !is->empty()),
               .kind = report::DifferenceKind::kDriver,
               .subject = "driver",
               .summary = "driver (kernel module): " + OrNone(*was) + " -> " + OrNone(*is),
               .before = OrNone(*was),
               .after = OrNone(*is),
               .suspicion = 68},
              {*is, *was, "nvidia"});
  } else if (before.kernel_flavor != after.kernel_flavor && !before.kernel_flavor.empty() &&
             !after.kernel_flavor.empty()) {
    parts.Add({.kind = report::DifferenceKind::kDriver,
               .subject = "flavor of the kernel module",
               .summary = "kernel module: " + before.kernel_flavor + " -> " + after.kernel_flavor,
               .before = before.kernel_flavor,
               .after = after.kernel_flavor,
               .suspicion = 45},
              {});
  }
  const auto [had, has] = BothOf(parts, "the loaded kernel modules", before.modules, after.modules);
  if (had == nullptr) return;
  Align(
      *had, *has, [](const std::string& module) { return module; },
      [&](const std::string& module, const std::string* a, const std::string* b) {
        if ((a != nullptr) == (b != nullptr)) return;
        parts.Add({.how = HowOf(a != nullptr, b != nullptr),
                   .kind = report::DifferenceKind::kDriver,
                   .subject = "kernel module " + module,
                   .summary =
                       "kernel module " + module + (b == nullptr ? " is no longer loaded" : " is loaded now"),
                   .before = a == nullptr ? "not loaded" : "loaded",
                   .after = b == nullptr ? "not loaded" : "loaded",
                   .suspicion = 64},
                  {module});
      });
}

std::string Shown(const snapshot::DriverLibrary* library) {
  if (library == nullptr) return "none";
  const std::string version = library->version.empty() ? "unknown version" : library->version;
  return version +
         (library->kind == snapshot::DriverLibraryKind::kDriver
              ? ""
              : ", " + std::string(base::Word(library->kind))) +
         (library->real_path.empty() ? ", dangling symlink" : "");
}

void AddDriverLibraries(Parts& parts, const Driver& before, const Driver& after) {
  Align(
      before.libraries, after.libraries, [](const auto& library) { return library.path; },
      [&](const std::string& path, const snapshot::DriverLibrary* was, const snapshot::DriverLibrary* is) {
        if (was != nullptr && is != nullptr && was->version == is->version && was->kind == is->kind &&
            was->real_path == is->real_path && was->size == is->size)
          return;
        Difference difference{.how = HowOf(was != nullptr, is != nullptr),
                              .kind = report::DifferenceKind::kDriver,
                              .subject = path,
                              .summary = path + ": " + Shown(was) + " -> " + Shown(is),
                              .before = Shown(was),
                              .after = Shown(is),
                              .suspicion = 60};
        if (was != nullptr && is != nullptr && difference.before == difference.after)
          difference.summary = path + ": another file of the same version";
        if (was == nullptr) difference.summary = path + " (" + Shown(is) + ") is new";
        if (is == nullptr) difference.summary = path + " (" + Shown(was) + ") is gone";
        parts.Add(std::move(difference),
                  {path, is == nullptr ? "" : is->real_path, was == nullptr ? "" : was->real_path,
                   std::string(base::BaseName(path))});
      });
}

std::string Shown(const snapshot::DeviceNode* node) {
  if (node == nullptr) return "none";
  if (node->not_a_device) return "a regular file, not a device node";
  return node->denied ? "this user has no permission to open it" : "there";
}

void AddNodes(Parts& parts, const Driver& before, const Driver& after) {
  const auto [was, is] = BothOf(parts, "the device nodes", before.nodes, after.nodes);
  if (was == nullptr) return;
  Align(
      *was, *is, [](const auto& node) { return node.path; },
      [&](const std::string& path, const snapshot::DeviceNode* a, const snapshot::DeviceNode* b) {
        if (Shown(a) == Shown(b)) return;
        parts.Add({.how = HowOf(a != nullptr, b != nullptr),
                   .kind = report::DifferenceKind::kDriver,
                   .subject = path,
                   .summary = path + ": " + Shown(a) + " -> " + Shown(b),
                   .before = Shown(a),
                   .after = Shown(b),
                   .suspicion = 64},
                  {path});
      });
}

void AddServices(Parts& parts, const Driver& before, const Driver& after) {
  const auto service = [&](const char* name, const snapshot::Fact<bool>& a, const snapshot::Fact<bool>& b) {
    if (!a || !b || *a == *b) return;
    parts.Add({.kind = report::DifferenceKind::kDriver,
               .subject = name,
               .summary = std::string(name) + (*b ? " is running now" : " is no longer running"),
               .before = *a ? "running" : "not running",
               .after = *b ? "running" : "not running",
               .suspicion = 50},
              {name});
  };
  service("nvidia-fabricmanager", before.fabric_manager, after.fabric_manager);
  service("nvidia-persistenced", before.persistence, after.persistence);
  if (before.mig_instances != after.mig_instances) {
    parts.Add({.kind = report::DifferenceKind::kGpu,
               .subject = "MIG instances",
               .summary = "MIG instances: " + std::to_string(before.mig_instances.size()) + " -> " +
                          std::to_string(after.mig_instances.size()),
               .before = std::to_string(before.mig_instances.size()),
               .after = std::to_string(after.mig_instances.size()),
               .suspicion = 62},
              after.mig_instances.size() < before.mig_instances.size() ? before.mig_instances
                                                                       : after.mig_instances);
  }
}

std::string NameOf(const snapshot::Gpu& gpu) {
  const std::string name = !gpu.name.empty()   ? gpu.name
                           : !gpu.chip.empty() ? gpu.chip
                                               : "GPU " + gpu.compute_capability;
  return gpu.bus_id.empty() ? name : name + " at " + gpu.bus_id;
}

void AddGpus(Parts& parts) {
  const auto [was, is] =
      BothOf(parts, "the GPUs", parts.before.scene.stack().gpus, parts.after.scene.stack().gpus);
  if (was == nullptr) return;
  const auto key = [](const snapshot::Gpu& gpu) {
    return !gpu.uuid.empty()     ? gpu.uuid
           : !gpu.bus_id.empty() ? gpu.bus_id
                                 : gpu.name + gpu.compute_capability;
  };
  Align(*was, *is, key, [&](const std::string&, const snapshot::Gpu* a, const snapshot::Gpu* b) {
    const snapshot::Gpu& gpu = b == nullptr ? *a : *b;
    const std::vector<std::string> names = {gpu.bus_id, gpu.name, gpu.uuid, "GPU"};
    if (a != nullptr && b != nullptr) {
      if (a->bound_to == b->bound_to) return;
      parts.Add({.kind = report::DifferenceKind::kGpu,
                 .subject = NameOf(gpu),
                 .summary = NameOf(gpu) + ": bound to " + OrNone(a->bound_to) + " -> " + OrNone(b->bound_to),
                 .before = OrNone(a->bound_to),
                 .after = OrNone(b->bound_to),
                 .suspicion = 66},
                names);
      return;
    }
    parts.Add({.how = HowOf(a != nullptr, b != nullptr),
               .kind = report::DifferenceKind::kGpu,
               .subject = NameOf(gpu),
               .summary = NameOf(gpu) + (b == nullptr ? " is gone" : " is new"),
               .before = a == nullptr ? "none" : "there",
               .after = b == nullptr ? "none" : "there",
               .suspicion = b == nullptr ? 70 : 55},
              names);
  });
}

}  // namespace

void AddDriver(Parts& parts) {
  const auto [was, is] =
      BothOf(parts, "the driver", parts.before.scene.stack().driver, parts.after.scene.stack().driver);
  if (was != nullptr) {
    AddKernelSide(parts, *was, *is);
    AddDriverLibraries(parts, *was, *is);
    AddNodes(parts, *was, *is);
    AddServices(parts, *was, *is);
  }
  AddGpus(parts);
}

}  // namespace culprit::diff
