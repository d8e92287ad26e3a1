// CUL5026: a 32-bit DLL comes first in the search and is skipped.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/binary_facts.h"
#include "rules/kit/load_facts.h"
#include "rules/rule.h"

namespace culprit::rules::other_bitness_first {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The search meets a DLL with the right name but the wrong bitness (32-bit for a 64-bit program). Windows skips it and
takes the next one.

## Why it breaks
The program works as long as the search reaches a matching copy. If the DLL is loaded by its full path, or the matching
copy is moved, the error is "%1 is not a valid Win32 application" (193).

## How culprit knows
The machine field in the header of each DLL that the search meets.

## Fix
Remove the directory of the 32-bit DLLs from PATH, or install the 64-bit ones there.

## When this is not your problem
32-bit programs may need that directory: then move it behind the 64-bit ones.

## Sources
Microsoft, PE Format; ntdll's search goes on after STATUS_INVALID_IMAGE_FORMAT, as Wine's dlls/ntdll/loader.c does.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const loader::Request& request : scenario.graph.requests) {
      if (!request.error.empty() || request.object == loader::kNone || !request.loaded_now) continue;
      const auto wrong =
          std::ranges::find(request.attempts, loader::Outcome::kWrongMachine, &loader::Attempt::outcome);
      if (wrong == request.attempts.end()) continue;
      const loader::Object& object = scenario.graph.objects[request.object];
      const int bits = BitsOf(scene.view.Open(wrong->path));
      report::Finding& finding = ruling.Fire(
          wrong->path + " is " + std::to_string(bits) + "-bit and skipped; " + object.path + " is loaded",
          wrong->path, {object.path});
      finding.affects.push_back(scenario.title);
      finding.evidence.push_back(
          {wrong->path + " is for " + MachineOf(scene.view.Open(wrong->path)), wrong->path});
      finding.evidence.push_back(
          {object.path + " is found through " + FoundThrough(scenario.graph, object.path), object.path});
      if (wrong->via == loader::Via::kEnvironmentPath) {
        finding.fix = WithoutSearchDirectory(scene, std::string(base::DirName(wrong->path)));
      } else {
        finding.fix = {.text = "remove the file, or move it where only programs of its bitness search",
                       .commands = {"del " + Word(wrong->path)},
                       .risk = report::Risk::kLow,
                       .changes = {report::RemoveFile{wrong->path}}};
      }
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5026",
                           .name = "other_bitness_first",
                           .family = Family::kLoading,
                           .cause = "bitness-mismatch",
                           .severity = report::Severity::kWarning,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "a 32-bit DLL shadows the 64-bit one",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::other_bitness_first
