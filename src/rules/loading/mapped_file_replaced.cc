// CUL5029: libraries of a running process were replaced on disk.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/load_facts.h"

namespace culprit::rules::mapped_file_replaced {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The process has mapped libraries whose files were then removed or replaced: a package was upgraded, reinstalled or
uninstalled while it was running. The process keeps the old files; whatever it opens from now on comes from the new
ones.

## Why it breaks
cuDNN and others open their sub-libraries on first use, so the old main library meets new sub-libraries:
CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH, an undefined symbol, a crash. For driver libraries: "Driver/library version
mismatch" as soon as the kernel module is reloaded. A file that was overwritten in place ends in SIGBUS or SIGSEGV.

## How culprit knows
The kernel marks the mapped file as deleted (/proc/PID/maps). Which version was mapped can no longer be read.

## Fix
Restart the process.

## When this is not your problem
After reinstalling exactly the same version everything still matches. A process that has already opened everything it
needs keeps working.

## Sources
proc_pid_maps(5); the ways in which pip, dpkg and rpm put files into place (a new file, renamed over the old one).
)md";

bool IsOfEnvironment(const Scene& scene, const loader::Scenario& scenario, const loader::Object& object) {
  const auto* environment = scene.EnvironmentOf(scenario);
  return environment != nullptr &&
         std::ranges::any_of(environment->site_packages, [&](const std::string& directory) {
           return object.path.starts_with(directory + "/");
         });
}

std::string_view CauseOf(const std::vector<const loader::Object*>& files) {
  std::string_view cause = "framework-version-conflict";
  for (const loader::Object* file : files) {
    const knowledge::Library* library = LibraryOf(*file);
    if (library == nullptr) continue;
    if (library->family == "driver") return "driver-library-mismatch";
    cause = library->family == "cudnn"        ? "cudnn-mixed-versions"
            : cause == "cudnn-mixed-versions" ? cause
                                              : "cuda-mixed-versions";
  }
  return cause;
}

void CheckProcess(const Scene& scene, const loader::Scenario& scenario, Ruling& ruling) {
  std::vector<const loader::Object*> files;
  for (const loader::Object& object : scenario.replaced) {
    if (LibraryOf(object) != nullptr || IsOfEnvironment(scene, scenario, object)) files.push_back(&object);
  }
  if (files.empty()) return;
  // CUDA libraries first.
  const auto known =
      std::ranges::find_if(files, [](const auto* file) { return LibraryOf(*file) != nullptr; });
  if (known != files.end()) std::iter_swap(files.begin(), known);
  const std::string& first = files.front()->path;
  const std::string more =
      files.size() == 1 ? "" : " and " + std::to_string(files.size() - 1) + " other mapped files";
  report::Finding& finding = ruling.Fire(
      std::string(base::BaseName(first)) + " in " + std::string(base::DirName(first)) + more + " of " +
          scenario.title + (files.size() == 1 ? " was" : " were") + " replaced while it was running",
      first, {scenario.title});
  finding.cause = CauseOf(files);
  finding.affects.push_back(scenario.title);
  constexpr size_t kShown = 12;
  for (size_t i = 0; i < std::min(files.size(), kShown); ++i) {
    const std::string& path = files[i]->path;
    const auto version = scene.view.Version(path);
    const bool there = scene.view.Open(path).error == base::PathError::kNone;
    std::string now = there ? "was replaced on disk" : "was removed from disk";
    if (there && version && !version->version.empty()) now += " by version " + version->version;
    finding.evidence.push_back(
        {path + " is mapped, but " + now, "/proc/" + std::to_string(scenario.process) + "/maps"});
  }
  if (files.size() > kShown)
    finding.evidence.push_back({std::to_string(files.size() - kShown) + " more files",
                                "/proc/" + std::to_string(scenario.process) + "/maps"});
  finding.fix = {.text = "restart " + scenario.title + ", so that all its files come from one installation",
                 .commands = {},
                 .risk = report::Risk::kMedium,
                 .changes = {report::NotInFiles{"the process was restarted",
                                                "no file shows what a process has mapped"}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const loader::Scenario& scenario : scene.scenarios) CheckProcess(scene, scenario, ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL5029",
                           .name = "mapped_file_replaced",
                           .family = Family::kLoading,
                           .cause = "cuda-mixed-versions",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.8.0",
                           .title = "libraries of a running process were replaced on disk",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::mapped_file_replaced
