// CUL5030: a process has two copies of one library.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "rules/kit/load_facts.h"
#include "rules/kit/loading/forced_copy.h"

namespace culprit::rules::library_mapped_twice {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The process has mapped two copies of one library. The loader uses one file per name, so the second copy was opened by
its full path, or in a separate linker namespace.

## Why it breaks
Each copy has its own state: handles, contexts and streams of one are invalid in the other. Functions resolve to
whichever copy comes first, so the second one may run code of the other version: undefined symbols, wrong results,
crashes.

## How culprit knows
The list of files that the process has mapped, the soname of each, and its version.

## Fix
Make everything use one copy. Usually something preloads a copy by path, or LD_LIBRARY_PATH points to one that the
framework does not bundle.

## When this is not your problem
Two copies of the same version that are used separately usually work, so that is only a note. cuDNN has its own rules
(CUL3004, CUL3011).

## Sources
dlopen(3); elf/dl-load.c of glibc: a name is looked for among what is loaded, a path is not.
)md";

struct Copy {
  const loader::Object* object;
  std::string version;
  std::string source;
};

// The copies that a process has of each library that must not be loaded twice, by soname.
std::map<std::string, std::vector<Copy>> CopiesOf(const Scene& scene, const loader::Scenario& scenario) {
  std::map<std::string, std::vector<Copy>> copies;
  for (const loader::Object& object : scenario.graph.objects) {
    if (object.elf == nullptr || !object.elf->soname) continue;
    const knowledge::Library* library = LibraryOf(object);
    const bool cudnn = library != nullptr && library->family == "cudnn";
    if (cudnn || (library == nullptr && *object.elf->soname != "libstdc++.so.6")) continue;
    auto& known = copies[*object.elf->soname];
    if (std::ranges::any_of(known,
                            [&](const Copy& one) { return one.object->real_path == object.real_path; }))
      continue;
    Copy copy{.object = &object, .version = {}, .source = object.real_path};
    if (const auto version = scene.view.Version(object.path)) {
      copy.version = version->version;
      copy.source = version.source;
    }
    known.push_back(std::move(copy));
  }
  return copies;
}

// The copy that does not belong: forced by a variable, else outside the process's environment, else the last.
const Copy& Intruder(const Scene& scene, const loader::Scenario& scenario, const std::vector<Copy>& copies) {
  for (const Copy& copy : copies) {
    if (ForcedByVariable(scene, scenario, *copy.object)) return copy;
  }
  const auto* environment = scene.EnvironmentOf(scenario);
  for (const Copy& copy : copies) {
    if (environment != nullptr && !copy.object->real_path.starts_with(environment->prefix + "/")) return copy;
  }
  return copies.back();
}

void CheckLibrary(const Scene& scene, const loader::Scenario& scenario, const std::string& soname,
                  const std::vector<Copy>& copies, Ruling& ruling) {
  const Copy& odd = Intruder(scene, scenario, copies);
  const Copy& other = &odd == &copies.front() ? copies.back() : copies.front();
  const auto of = [](const Copy& copy) { return copy.version.empty() ? "" : copy.version + " "; };
  report::Finding& finding =
      ruling.Fire(soname + " is loaded twice: " + of(odd) + "from " + odd.object->path + " and " + of(other) +
                      "from " + other.object->path,
                  odd.object->path, {soname, other.object->path});
  if (odd.version == other.version && !odd.version.empty()) finding.severity = report::Severity::kNote;
  finding.affects.push_back(scenario.title);
  for (const Copy& copy : copies) {
    finding.evidence.push_back({copy.object->path + " is " +
                                    (copy.version.empty() ? "of unknown version" : copy.version) +
                                    ", found through " + CameThrough(scenario, *copy.object),
                                copy.source});
  }
  if (ForcedByVariable(scene, scenario, *odd.object)) {
    finding.fix = WithoutVariable(scene, *odd.object);
    return;
  }
  finding.fix = {.text = "use one copy: find what opens " + odd.object->path +
                         " by path (a preload, a ctypes call, another package), and remove that",
                 .commands = {"culprit run --always -- COMMAND   # shows who opens it"},
                 .risk = report::Risk::kNone,
                 .changes = {report::NotInFiles{"the program no longer opens both",
                                                "no file shows what a program opens by path"}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) {
    if (!scenario.WasSeen()) continue;
    for (const auto& [soname, copies] : CopiesOf(scene, scenario)) {
      if (copies.size() > 1) CheckLibrary(scene, scenario, soname, copies, ruling);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5030",
                           .name = "library_mapped_twice",
                           .family = Family::kLoading,
                           .cause = "cuda-mixed-versions",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.8.0",
                           .title = "a process has loaded two copies of one library",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::library_mapped_twice
