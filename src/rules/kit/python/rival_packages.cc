#include "rules/kit/python/rival_packages.h"

#include <utility>

#include "base/text.h"
#include "rules/kit/python/package_facts.h"

namespace culprit::rules {

Rivals RivalsIn(const snapshot::PythonEnvironment& environment,
                const std::function<bool(const snapshot::PythonPackage&)>& among) {
  Rivals rivals;
  for (const snapshot::PythonPackage& package : environment.packages) {
    if (!among(package)) continue;
    if (!rivals.empty() && (base::DirName(rivals.front()->record) != base::DirName(package.record) ||
                            rivals.back()->name == package.name))
      continue;
    rivals.push_back(&package);
  }
  return rivals;
}

std::string InWords(const snapshot::PythonEnvironment& environment, const Rivals& rivals) {
  return rivals[0]->name + " " + rivals[0]->version + " and " + rivals[1]->name + " " + rivals[1]->version +
         " share one directory in " + environment.prefix;
}

void AddEvidence(const Rivals& rivals, report::Finding& finding) {
  for (const auto* rival : rivals)
    finding.evidence.push_back({rival->name + " " + rival->version, rival->record});
}

report::Fix KeepOnly(const Scene& scene, const snapshot::PythonEnvironment& environment, const Rivals& rivals,
                     const Wanted& one, std::string text) {
  const Command pip = PipOf(environment);
  Command names;
  report::Fix fix{.text = std::move(text), .commands = {}, .risk = report::Risk::kMedium};
  for (const auto* rival : rivals) {
    names += " " + Plain(rival->name);
    fix.changes.push_back(report::RemovePackage{environment.prefix, rival->name});
  }
  fix.commands = {pip + " uninstall -y" + names, pip + " install " + ForPip(one)};
  if (one.version.empty()) {
    fix.changes.clear();
  } else {
    AddInstall(scene, environment, one, Pip::kMissing, fix.changes);
  }
  return fix;
}

}  // namespace culprit::rules
