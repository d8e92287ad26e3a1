// CUL5018: a program or import fails to load for a reason that no other rule covers.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/search_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::program_cannot_start {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A given program, or a framework in an environment, fails to load because of a library that is not part of CUDA.

## Why it breaks
CUDA cannot be used before the program starts.

## How culprit knows
culprit simulates the dynamic loader and quotes its message.

## Fix
Install what is missing; `culprit why PROGRAM` shows every place that was tried.

## When this is not your problem
A library given as the target may expect its host program to load its dependencies first.

## Sources
ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

bool HasOtherRule(const FailedLoad& failed) {
  if (failed.EndsImport() || failed.redistributable != nullptr) return true;  // CUL6002, CUL5021, CUL5022
  if (failed.why == Why::kUnusable) return false;
  if (failed.why == Why::kNowhere || failed.why == Why::kElsewhere) {
    return failed.library != nullptr || knowledge::FindLibrary(base::BaseName(failed.asker)) != nullptr;
  }
  return true;
}

bool Explained(const Scene& scene, const loader::Scenario& scenario) {
  if (!scenario.graph.missing_versions.empty()) return true;
  if (std::ranges::any_of(FailedLoads(scene),
                          [&](const FailedLoad& failed) { return failed.scenario == &scenario; })) {
    return true;
  }
  return std::ranges::any_of(scenario.graph.requests, [](const loader::Request& request) {
    return !request.error.empty() && !request.alternative;  // a driver library, or a crash in an optional one
  });
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (HasOtherRule(failed)) continue;
    const std::string subject = failed.file.empty() ? failed.request->name : failed.file;
    report::Finding& finding =
        Fire(ruling, failed,
             failed.why == Why::kUnusable
                 ? failed.file + " cannot be loaded: " + failed.request->error
                 : failed.request->name + ", which " + failed.asker + " needs, is not found",
             subject, {failed.why == Why::kUnusable ? "" : failed.asker});
    for (const loader::LibraryCopy& copy : failed.copies) {
      finding.evidence.push_back({copy.path + " exists but is not searched", copy.path});
    }
    // Another program may find it: ask about this one.
    const bool given = failed.scenario->kind == loader::Scenario::Kind::kProgram ||
                       (failed.scenario->WasSeen() && !failed.scenario->graph.target.empty());
    const Command of = given ? " --for " + Word(failed.scenario->graph.target) : "";
    if (failed.why == Why::kUnusable) {
      finding.fix = ReplaceDamaged(scene, failed.file, failed.request->name);
    } else if (!failed.copies.empty()) {
      finding.cause = "search-path";
      finding.fix = SearchToo(scene, failed, std::string(base::DirName(failed.copies.front().path)));
    } else {
      finding.fix = Install(scene, failed);
      finding.fix.text = "install the package that provides " + failed.request->name;
      finding.fix.commands.clear();
    }
    finding.fix.commands.insert(finding.fix.commands.begin(),
                                "culprit why " + Word(failed.request->name) + of);
  }
  for (const loader::Scenario& scenario : scene.scenarios) {
    const std::string& error = scenario.graph.error;
    if (scenario.kind == loader::Scenario::Kind::kAnyProgram || error.empty()) continue;
    if (scenario.graph.uncertain) {
      ruling.NotEnoughFacts("the load of " + scenario.title, error);
      continue;
    }
    if (Explained(scene, scenario)) continue;
    report::Finding& finding =
        ruling.Fire(scenario.title + " cannot be loaded: " + error, scenario.graph.target, {scenario.title});
    finding.affects.push_back(scenario.title);
    finding.evidence.push_back({error, scenario.WasSeen() ? "the loader's message in the process"
                                                          : "predicted by the loader model"});
    finding.fix = {.text = "look at the load step by step",
                   .commands = {"culprit why --for " + Word(scenario.graph.target)},
                   .risk = report::Risk::kNone,
                   .changes = {report::NotInFiles{"the load gets further",
                                                  "what has to change depends on what the steps show"}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5018",
                           .name = "program_cannot_start",
                           .family = Family::kLoading,
                           .cause = "dependent-missing",
                           .severity = report::Severity::kError,
                           .since = "0.2.0",
                           .title = "a program or import fails to load",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::program_cannot_start
