// CUL5010: the loaded libstdc++ is too old.
#include <algorithm>

#include "base/text.h"
#include "loader/library_copies.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/version_misses.h"
#include "rules/rule.h"

namespace culprit::rules::libstdcxx_shadowed {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A file requires symbol versions of libstdc++ (GLIBCXX_, CXXABI_) or of another compiler library that the loaded copy
does not have.

## Why it breaks
"libstdc++.so.6: version `GLIBCXX_3.4.32' not found". The whole process uses the copy that is loaded first: one from
conda or LD_LIBRARY_PATH shadows the system's, or the other way round.

## How culprit knows
culprit compares the versions that the file requires with those that each copy on the machine defines.

## Fix
Let the newer copy win, usually by removing a directory from LD_LIBRARY_PATH. The newest libstdc++ works for all older
programs.

## When this is not your problem
If no copy on the machine has the version, the file was built with a newer compiler than any installed one.

## Sources
The ABI policy of libstdc++; elf/dl-version.c of glibc.
)md";

bool IsCompilerVersion(const std::string& version) {
  return version.starts_with("GLIBCXX_") || version.starts_with("CXXABI_") || version.starts_with("GCC_") ||
         version.starts_with("GOMP_");
}

const loader::Object* Loaded(const loader::LoadGraph& graph, const std::string& path) {
  for (const loader::Object& object : graph.objects) {
    if (object.path == path) return &object;
  }
  return nullptr;
}

// The same library from a newer compiler: it keeps all versions and adds this one.
report::PutLibrary Newer(const Scene& scene, const VersionMiss& miss) {
  report::PutLibrary newer{.path = scene.view.RealPath(miss.file),
                           .soname = std::string(base::BaseName(miss.file))};
  if (const auto& elf = scene.view.Open(miss.file).elf; elf != nullptr) {
    newer.soname = elf->soname.value_or(newer.soname);
    for (const auto& request : elf->requests) newer.needed.push_back(request.name);
    newer.version_defs = elf->version_defs;
  }
  newer.version_defs.push_back(miss.version);
  return newer;
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const VersionMiss& miss : VersionMisses(scene)) {
    if (!IsCompilerVersion(miss.version)) continue;
    std::string better;
    const std::string name(base::BaseName(miss.file));
    for (const auto& copy :
         loader::FindCopies(loader::LibraryDirectories(scene.snapshot, scene.view), scene.view, name)) {
      const auto& elf = scene.view.Open(copy.path).elf;
      if (elf != nullptr && std::ranges::find(elf->version_defs, miss.version) != elf->version_defs.end())
        better = copy.path;
      if (!better.empty()) break;
    }
    report::Finding& finding =
        ruling.Fire(miss.asker + " needs " + miss.version + ", " + miss.file + " does not have it" +
                        (better.empty() ? "" : ", " + better + " does"),
                    miss.file, {miss.asker, miss.version, better});
    finding.affects.push_back(miss.scenario->title);
    finding.evidence.push_back({miss.words, "predicted by the loader model"});
    if (!better.empty()) finding.evidence.push_back({better + " defines " + miss.version, better});
    const loader::Object* loaded = Loaded(miss.scenario->graph, miss.file);
    const bool by_variable =
        miss.file.starts_with('/') &&
        std::ranges::any_of(
            base::SplitWords(scene.Variable("LD_LIBRARY_PATH"), ":;"),
            [&](const std::string& element) { return base::CleanPath(element) == base::DirName(miss.file); });
    if (by_variable || (loaded != nullptr && loaded->via == loader::Via::kLdLibraryPath)) {
      finding.fix = WithoutSearchDirectory(scene, std::string(base::DirName(miss.file)));
    } else if (!better.empty()) {
      finding.fix = {.text = "let the newer copy win for this program",
                     .commands = {"LD_LIBRARY_PATH=" + Word(base::DirName(better)) + " " +
                                  StartCommand(scene, *miss.scenario)},
                     .risk = report::Risk::kLow,
                     .changes = {report::AddToList{"LD_LIBRARY_PATH", std::string(base::DirName(better))}}};
    } else {
      finding.fix = {.text = "install a newer " + name +
                             " (in a conda environment: libstdcxx-ng of conda-forge), or use a build of " +
                             std::string(base::BaseName(miss.asker)) + " made with an older compiler",
                     .commands = {},
                     .risk = report::Risk::kLow,
                     .changes = {Newer(scene, miss)}};
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5010",
                           .name = "libstdcxx_shadowed",
                           .family = Family::kLoading,
                           .cause = "glibc-too-old",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the loaded libstdc++ is too old",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::libstdcxx_shadowed
