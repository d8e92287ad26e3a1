// CUL5009: the C library of this system is older than the program needs.
#include "base/text.h"
#include "rules/kit/loading/version_misses.h"
#include "rules/rule.h"

namespace culprit::rules::glibc_too_old {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A file was built on a newer system and needs symbol versions of glibc that this system does not have.

## Why it breaks
"version `GLIBC_2.38' not found (required by ...)". The C library belongs to the distribution and cannot be replaced
alone.

## How culprit knows
The versions that the file needs are compared with those that the loaded libc defines, as the loader does.

## Fix
Take a build for an older system (a manylinux wheel, the package of the distribution), or run it in a container of a
newer distribution. Never replace or link libc.so.6 by hand: nothing would start any more.

## When this is not your problem
A file that no program of yours loads is not reported.

## Sources
elf/dl-version.c of glibc.
)md";

// Built where glibc is not newer than here, it is the same file without the demand.
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
    report::Finding& finding = ruling.Fire(miss.asker + " needs " + miss.version + here, miss.asker);
    finding.affects.push_back(miss.scenario->title);
    finding.evidence.push_back({miss.words, "the loader's words, from its model"});
    finding.evidence.push_back({miss.file + " does not define " + miss.version, miss.file});
    finding.fix = {.text = "take a build of " + std::string(base::BaseName(miss.asker)) +
                           " for an older system, or run it in a container of a newer distribution; never "
                           "replace libc by hand",
                   .commands = {"ldd --version"},
                   .risk = "none",
                   .changes = {BuildForOlderSystem(scene, miss.asker)}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5009",
                           .name = "glibc_too_old",
                           .cause = "glibc-too-old",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the C library of this system is older than the program needs",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::glibc_too_old
