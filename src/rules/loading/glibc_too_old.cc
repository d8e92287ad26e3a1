// CUL5009: this system's glibc is older than the program requires.
#include "base/text.h"
#include "rules/kit/loading/version_misses.h"
#include "rules/rule.h"

namespace culprit::rules::glibc_too_old {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A file was built on a newer system and requires glibc symbol versions that this system does not have.

## Why it breaks
"version `GLIBC_2.38' not found (required by ...)". glibc belongs to the distribution and cannot be replaced on its own.

## How culprit knows
culprit compares the versions that the file requires with those that the loaded libc defines, as the loader does.

## Fix
Use a build for an older system (a manylinux wheel, the distribution's package), or run it in a container with a newer
distribution. Never replace or symlink libc.so.6 by hand: nothing would start any more.

## When this is not your problem
A file that none of your programs load is not reported.

## Sources
elf/dl-version.c of glibc.
)md";

// The same file, built against a glibc no newer than this one: it no longer requires the missing version.
report::PutLibrary BuildForOlderSystem(const Scene& scene, const std::string& path) {
  report::PutLibrary build{.path = scene.view.RealPath(path)};
  if (const auto& elf = scene.view.Open(path).elf; elf != nullptr) {
    build.soname = elf->soname.value_or("");
    for (const auto& request : elf->requests) build.needed.push_back(request.name);
    build.runpath = elf->runpath.value_or(elf->rpath.value_or(""));
    build.version_defs = elf->version_defs;
    build.program = elf->interpreter.has_value();
  }
  return build;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const VersionMiss& miss : VersionMisses(scene)) {
    if (!miss.version.starts_with("GLIBC_")) continue;
    const snapshot::LoaderFacts* loader = scene.snapshot.FindLoader(miss.scenario->graph.interpreter);
    const std::string here =
        loader == nullptr || loader->version.empty() ? "" : "; this system has glibc " + loader->version;
    report::Finding& finding =
        ruling.Fire(miss.asker + " needs " + miss.version + here, miss.asker, {miss.version});
    finding.affects.push_back(miss.scenario->title);
    finding.evidence.push_back({miss.words, "predicted by the loader model"});
    finding.evidence.push_back({miss.file + " does not define " + miss.version, miss.file});
    finding.fix = {.text = "use a build of " + std::string(base::BaseName(miss.asker)) +
                           " for an older system, or run it in a container with glibc " +
                           miss.version.substr(6) + " or newer; never replace libc by hand",
                   .commands = {"ldd --version"},
                   .risk = report::Risk::kNone,
                   .changes = {BuildForOlderSystem(scene, miss.asker)}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5009",
                           .name = "glibc_too_old",
                           .family = Family::kLoading,
                           .cause = "glibc-too-old",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "this system's glibc is older than the program requires",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::glibc_too_old
