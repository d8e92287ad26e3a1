// CUL5003: ld.so.cache does not match what is on disk.
#include <algorithm>

#include "base/text.h"
#include "rules/kit/file_fixes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/search_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::stale_ld_so_cache {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The loader reads /etc/ld.so.cache instead of listing directories. The cache still lists a file that is gone, or does not
list one that was installed after ldconfig last ran.

## Why it breaks
A library that was copied by hand, unpacked from an archive or installed into an image without running ldconfig is not
found, although it is in the right place.

## How culprit knows
culprit reads the cache and looks for the file that it lists (or does not list).

## Fix
Run ldconfig. If the file is gone and the machine has no other copy, reinstall it first.

## When this is not your problem
Programs that find the library through a RUNPATH do not use the cache.

## Sources
ldconfig(8); ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

// Whether ldconfig would find a library of that name.
bool LdconfigFinds(const Scene& scene, const FailedLoad& failed,
                   const std::vector<loader::LibraryCopy>& copies) {
  return failed.why == Why::kNotCached || std::ranges::any_of(copies, [&](const loader::LibraryCopy& copy) {
           return IsKnownToLdconfig(scene, std::string(base::DirName(copy.path)));
         });
}

report::Fix Repair(const Scene& scene, const FailedLoad& failed) {
  const auto copies = loader::FindCopies(loader::LibraryDirectories(scene.snapshot, scene.view), scene.view,
                                         failed.request->name);
  if (LdconfigFinds(scene, failed, copies)) {
    return {.text = "update the cache",
            .commands = {"sudo ldconfig"},
            .risk = report::Risk::kLow,
            .changes = {report::RefreshCache{}}};
  }
  // It used to be found through the cache, so add its new directory to the cache, unless that belongs to an
  // environment or a home.
  if (!copies.empty()) {
    const std::string directory(base::DirName(copies.front().path));
    const bool system = directory.starts_with("/usr/") || directory.starts_with("/opt/");
    const bool python = directory.find("-packages") != std::string::npos;
    return system && !python ? SearchByLdconfig(failed, directory) : SearchToo(scene, failed, directory);
  }
  report::Fix fix = InstallAgain(scene, failed.file, failed.request->name);
  fix.text += "; then update the cache";
  fix.commands.push_back("sudo ldconfig");
  fix.changes.push_back(report::RefreshCache{});
  return fix;
}

// If it is not on disk, ldconfig does not help: the library is missing.
bool OnDisk(const Scene& scene, const FailedLoad& failed) {
  return !loader::FindCopies(loader::LibraryDirectories(scene.snapshot, scene.view), scene.view,
                             failed.request->name)
              .empty();
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kStaleCache && failed.why != Why::kNotCached) continue;
    report::Finding& finding = Fire(
        ruling, failed,
        failed.why == Why::kStaleCache
            ? "/etc/ld.so.cache lists " + failed.file + ", which is gone"
            : failed.file + " is in a directory that ldconfig reads, but /etc/ld.so.cache does not list it",
        failed.file);
    finding.evidence.push_back(
        {failed.file + (failed.why == Why::kStaleCache ? " does not exist" : " exists"), "/etc/ld.so.cache"});
    finding.fix = Repair(scene, failed);
    if (failed.why == Why::kStaleCache && failed.library != nullptr && !OnDisk(scene, failed)) {
      finding.cause = failed.IsCudnnShim() ? "cudnn-missing" : "cuda-library-missing";
      if (failed.IsCudnnShim()) finding.fix = Install(scene, failed);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5003",
                           .name = "stale_ld_so_cache",
                           .family = Family::kLoading,
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "ld.so.cache is out of date",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::stale_ld_so_cache
