// CUL5015: a library that shall be preloaded cannot be.
#include <set>

#include "rules/rule.h"
#include "rules/table.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
LD_PRELOAD or /etc/ld.so.preload names a library that the loader cannot load.

## Why it breaks
The loader prints "ERROR: ld.so: object ... cannot be preloaded: ignored." at the start of every program and goes on
without it. What the preload was meant to change does not happen, and the line on stderr disturbs scripts.

## How culprit knows
The start of a program is played with the preloads of this shell.

## Fix
Correct or unset LD_PRELOAD; take the line out of /etc/ld.so.preload.

## When this is not your problem
A name that only another program of another word size can use is reported by that program alone.

## Sources
ld.so(8).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  std::set<std::string> told;
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const std::string& words : scenario.graph.warnings) {
      if (words.find("cannot be preloaded") == std::string::npos || !told.insert(words).second) continue;
      const size_t first = words.find('\''), second = words.find('\'', first + 1);
      const std::string name = second == std::string::npos ? "" : words.substr(first + 1, second - first - 1);
      const bool file = words.find("from /etc/ld.so.preload") != std::string::npos;
      const std::string subject = file ? "/etc/ld.so.preload" : "LD_PRELOAD";
      report::Finding& finding =
          ruling.Fire(subject + " names " + name + ", which cannot be loaded", subject);
      finding.affects.push_back(scenario.title);
      finding.evidence.push_back({words, "the loader's words, from its model"});
      finding.fix =
          file ? report::Fix{.text = "take the line out of the file",
                             .commands = {"cat /etc/ld.so.preload"},
                             .risk = "low"}
               : report::Fix{
                     .text = "unset or correct LD_PRELOAD", .commands = {"unset LD_PRELOAD"}, .risk = "low"};
    }
  }
}

}  // namespace

const Rule kLdPreloadBroken = {.code = "CUL5015",
                               .name = "ld_preload_broken",
                               .cause = "search-path",
                               .severity = report::Severity::kWarning,
                               .where = Where::kLinux,
                               .since = "0.2.0",
                               .title = "a library that shall be preloaded cannot be",
                               .page = kPage,
                               .check = Check};

}  // namespace culprit::rules
