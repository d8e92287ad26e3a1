// CUL6018: TensorRT packages of different versions or CUDA majors in one environment.
#include "base/python/pep440.h"
#include "base/text.h"
#include "rules/kit/gpu_code/fitting_build.h"

namespace culprit::rules::tensorrt_parts_mismatch {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
TensorRT for Python is three packages: the meta package (tensorrt-cu12), the libraries (tensorrt-cu12-libs) and the
bindings (tensorrt-cu12-bindings). They must have the same version, and only one CUDA major may be installed: all unpack
into `tensorrt`, `tensorrt_libs` and `tensorrt_bindings`.

## Why it breaks
The bindings are compiled against one release of libnvinfer: undefined symbols at import, or engines that cannot be
deserialised ("Serialization version mismatch").

## How culprit knows
It compares the versions in the records of these packages.

## Fix
Uninstall all TensorRT packages, then install the meta package of the version you want, which pins the rest.

## When this is not your problem
tensorrt-lean and tensorrt-dispatch are separate sets, each compared within itself.

## Sources
METADATA of tensorrt-cu12, tensorrt-lean-cu13.
)md";

// "tensorrt-lean-cu13-libs" -> set "tensorrt-lean", major "13"; an empty set for another package.
struct Part {
  std::string set;
  std::string major;
};

Part PartOf(const std::string& name) {
  std::string rest = name;
  for (const std::string_view tail : {"-libs", "-bindings"}) {
    if (rest.ends_with(tail)) rest.resize(rest.size() - tail.size());
  }
  const std::string major = CudaMajorOfPackage(rest);
  if (!major.empty()) rest.resize(rest.size() - major.size() - 3);
  const bool known = rest == "tensorrt" || rest == "tensorrt-lean" || rest == "tensorrt-dispatch";
  return known ? Part{rest, major} : Part{};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const auto& environment : EnvironmentsOf(scene, ruling)) {
    for (const std::string_view set : {"tensorrt", "tensorrt-lean", "tensorrt-dispatch"}) {
      const snapshot::PythonPackage *first = nullptr, *odd = nullptr;
      std::string seen;
      Command names;
      std::set<std::string> majors;
      std::vector<const snapshot::PythonPackage*> parts;
      for (const auto& package : environment.packages) {
        const Part part = PartOf(package.name);
        if (part.set != set) continue;
        names += " " + Plain(package.name);
        parts.push_back(&package);
        if (!part.major.empty()) majors.insert(part.major);
        if (first == nullptr) first = &package;
        if (package.version != first->version) odd = &package;
        if (part.major.empty()) continue;
        if (!seen.empty() && part.major != seen) odd = &package;
        if (seen.empty()) {
          seen = part.major;
          if (odd == nullptr) first = &package;
        }
      }
      if (odd == nullptr) continue;
      report::Finding& finding = ruling.Fire(first->name + " " + first->version + " and " + odd->name + " " +
                                                 odd->version + " in " + environment.prefix + " do not match",
                                             odd->record, {environment.prefix, first->name});
      finding.affects.push_back(std::string(set) + " in " + environment.prefix);
      finding.evidence.push_back({first->name + " " + first->version, first->record});
      finding.evidence.push_back({odd->name + " " + odd->version, odd->record});
      // One CUDA major, and its newest installed version.
      const std::string major = PreferredMajor(scene, environment, majors);
      std::string version = first->version;
      for (const auto* package : parts) {
        const auto one = base::PythonVersion::Parse(package->version),
                   best = base::PythonVersion::Parse(version);
        const bool mine = PartOf(package->name).major == major;
        if (mine && (!best || (one && one->ComparePublic(*best) > 0))) version = package->version;
      }
      const std::string front = std::string(set) + (major.empty() ? "" : "-cu" + major);
      Command again;
      for (const auto* package : parts) {
        if (PartOf(package->name).major != major && !PartOf(package->name).major.empty()) {
          finding.fix.changes.push_back(report::RemovePackage{environment.prefix, package->name});
          continue;
        }
        finding.fix.changes.push_back(report::InstallPackage{environment.prefix, package->name, version});
        again += " " + ForPip({package->name, version});
      }
      if (environment.Find(front) != nullptr) again = " " + ForPip({front, version});
      finding.fix.text = "uninstall all of them, then install one version for one CUDA major";
      finding.fix.commands = {PipOf(environment) + " uninstall -y" + names,
                              PipOf(environment) + " install" + again};
      finding.fix.risk = report::Risk::kMedium;
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL6018",
                           .name = "tensorrt_parts_mismatch",
                           .family = Family::kPython,
                           .cause = "framework-version-conflict",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "TensorRT packages have different versions or CUDA majors",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::tensorrt_parts_mismatch
