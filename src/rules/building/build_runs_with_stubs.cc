// CUL8011: a build folder puts a stubs directory into the run path of its programs.
#include "base/text.h"
#include "rules/kit/building/build_facts.h"

namespace culprit::rules::build_runs_with_stubs {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The build writes the toolkit's stubs directory into the RPATH or RUNPATH of what it links.

## Why it breaks
The stubs satisfy the linker on machines without a driver. A program that finds one when it runs gets "CUDA driver is a stub
library" (34) from every call.

## How culprit knows
-rpath in the link commands, CMAKE_BUILD_RPATH and CMAKE_INSTALL_RPATH.

## Fix
Remove the directory from the run path. For linking, -L or the path of the stub itself is right and enough.

## When this is not your problem
The programs are installed with another run path, and are not run from the build folder.

## Sources
The text inside the stubs of CUDA 13.0; ld(1), -rpath.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const BuildFolder& folder : Builds(scene)) {
    for (const BuildSetting& setting : folder.settings) {
      if (setting.item != BuildItem::kRunPath || base::BaseName(base::CleanPath(setting.value)) != "stubs")
        continue;
      report::Finding& finding = ruling.Fire(
          folder.path + " puts " + setting.value + " into the run path of its programs", folder.path);
      finding.affects.push_back("builds");
      finding.evidence.push_back(AsEvidence(setting));
      finding.fix = ConfigureAgain(folder,
                                   "remove " + setting.value + " from " + setting.name +
                                       ": link with -L, and leave the stubs out of the run path",
                                   {});
      finding.fix.commands.clear();
      break;
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL8011",
                           .name = "build_runs_with_stubs",
                           .family = Family::kBuilding,
                           .explains = Explains::kNothing,
                           .cause = "search-path",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.9.0",
                           .title = "a build folder puts a stubs directory into the run path of its programs",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::build_runs_with_stubs
