#include "rules/kit/loading/symbol_misses.h"

#include <algorithm>

#include "base/text.h"
#include "knowledge/libraries.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/python/package_changes.h"
#include "rules/kit/python/package_facts.h"
#include "rules/kit/python/package_of_file.h"

namespace culprit::rules {
namespace {

bool ThroughLdLibraryPath(const FunctionMiss& miss, const std::string& path) {
  return std::ranges::any_of(miss.scenario->graph.objects, [&](const loader::Object& object) {
    return object.path == path && object.via == loader::Via::kLdLibraryPath;
  });
}

// Resolves "..", which comes from run paths; a symlink keeps its name.
std::string Shown(const Scene& scene, const std::string& path) {
  return base::JoinPath(scene.view.RealPath(std::string(base::DirName(path))), base::BaseName(path));
}

std::string Titled(const Scene& scene, const std::string& path) {
  const auto version = scene.view.Version(path);
  return Shown(scene, path) + (version && !version->version.empty() ? " (" + version->version + ")" : "");
}

}  // namespace

report::Fix FixSymbolMiss(const Scene& scene, const FunctionMiss& miss) {
  const std::string& importer = miss.functions.front().importer;
  for (const std::string& path : {miss.dll, importer}) {
    if (ThroughLdLibraryPath(miss, path))
      return WithoutSearchDirectory(scene, std::string(base::DirName(path)));
  }
  const snapshot::PythonEnvironment* environment = scene.EnvironmentOf(*miss.scenario);
  const auto* package = environment == nullptr ? nullptr : PackageOf(*environment, miss.dll);
  if (package != nullptr) {
    // Reinstall the one that is not at the version the framework pins; keep the other.
    for (const auto* moved : {package, PackageOf(*environment, importer)}) {
      if (moved == nullptr) continue;
      const std::string pinned = PinnedVersion(scene, *environment, moved->name);
      if (pinned.empty() || pinned == moved->version) continue;
      return ReinstallPackage(*environment, moved->name, pinned,
                              "install " + moved->name + " " + pinned +
                                  ", which the framework pins; CUDA packages cannot be upgraded one by one");
    }
    const std::string newest = VersionForAll(scene, *environment, package->name).value_or("");
    if (!newest.empty() && newest != package->version) {
      return ReinstallPackage(
          *environment, package->name, newest,
          "upgrade " + package->name +
              ": a newer release of the same CUDA major has all functions of the older ones");
    }
    return {.text = "upgrade " + package->name +
                    ": a newer release of the same CUDA major has all functions of the older ones",
            .commands = {PipOf(*environment) + " install --upgrade --no-deps " + Plain(package->name)},
            .risk = report::Risk::kLow,
            .changes = {report::PutLibrary{.path = Shown(scene, miss.dll)}}};
  }
  return {.text = "use both libraries from one release: install all of the release of " +
                  Shown(scene, importer) + ", or put another directory first",
          .commands = {"culprit why " + Word(base::BaseName(miss.dll))},
          .risk = report::Risk::kNone,
          .changes = {report::PutLibrary{.path = Shown(scene, miss.dll)}}};
}

void FireSymbolMiss(const Scene& scene, const FunctionMiss& miss, Ruling& ruling) {
  const loader::MissingExport& first = miss.functions.front();
  report::Finding& finding =
      ruling.Fire(std::string(base::BaseName(first.importer)) + " needs " + first.function + ", but " +
                      Titled(scene, miss.dll) + " does not have it",
                  Shown(scene, miss.dll), {std::string(base::BaseName(first.importer)), first.function});
  finding.affects.push_back(miss.scenario->title);
  finding.evidence.push_back(
      {Titled(scene, first.importer) + " requires " + first.function +
           (miss.functions.size() == 1 ? "" : " and " + std::to_string(miss.functions.size() - 1) + " more"),
       "symbols of " + Shown(scene, first.importer)});
  finding.evidence.push_back({Shown(scene, miss.dll) + " is found through " +
                                  FoundThrough(miss.scenario->graph, miss.dll) + " and does not define it",
                              "symbols of " + Shown(scene, miss.dll)});
  finding.fix = FixSymbolMiss(scene, miss);
}

}  // namespace culprit::rules
