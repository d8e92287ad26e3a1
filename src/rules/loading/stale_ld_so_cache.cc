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

// Libraries of one directory that were lost or moved together.
using Group = std::vector<const FailedLoad*>;

std::string NewPlace(const FailedLoad& failed) {
  return failed.copies.empty() ? "" : std::string(base::DirName(failed.copies.front().path));
}

bool BelongTogether(const FailedLoad& one, const FailedLoad& other) {
  return one.why == other.why && one.scenario == other.scenario && one.IsCudnn() == other.IsCudnn() &&
         base::DirName(one.file) == base::DirName(other.file) && NewPlace(one) == NewPlace(other);
}

std::vector<Group> Groups(const Scene& scene) {
  std::vector<Group> groups;
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kStaleCache && failed.why != Why::kNotCached) continue;
    const auto known = std::ranges::find_if(
        groups, [&](const Group& group) { return BelongTogether(*group.front(), failed); });
    if (known == groups.end()) {
      groups.push_back({&failed});
    } else if (std::ranges::find(*known, failed.file, &FailedLoad::file) == known->end()) {
      known->push_back(&failed);
    }
  }
  return groups;
}

// It used to be found through the cache, so add its new directory to the cache, unless that belongs to an
// environment or a home.
report::Fix SearchNewPlace(const Scene& scene, const FailedLoad& failed) {
  const std::string directory = NewPlace(failed);
  const bool own = directory.find("-packages") != std::string::npos || directory.starts_with("/home/") ||
                   directory.starts_with("/root/");
  return own ? SearchToo(scene, failed, directory) : SearchByLdconfig(failed, directory);
}

// If it is nowhere on disk, ldconfig does not help: the library is missing.
report::Fix InstallLost(const Scene& scene, const FailedLoad& failed) {
  report::Fix fix =
      failed.IsCudnn() ? Install(scene, failed) : InstallAgain(scene, failed.file, failed.request->name);
  if (failed.IsCudnnShim()) return fix;
  fix.text += "; then update the cache";
  fix.commands.push_back("sudo ldconfig");
  fix.changes.push_back(report::RefreshCache{});
  return fix;
}

report::Fix Repair(const Scene& scene, const FailedLoad& failed) {
  const bool by_ldconfig =
      failed.why == Why::kNotCached || std::ranges::any_of(failed.copies, [&](const auto& copy) {
        return IsKnownToLdconfig(scene, std::string(base::DirName(copy.path)));
      });
  if (by_ldconfig) {
    return {.text = "update the cache",
            .commands = {"sudo ldconfig"},
            .risk = report::Risk::kLow,
            .changes = {report::RefreshCache{}}};
  }
  return failed.copies.empty() ? InstallLost(scene, failed) : SearchNewPlace(scene, failed);
}

std::string Summary(const Group& group) {
  const FailedLoad& first = *group.front();
  const bool stale = first.why == Why::kStaleCache;
  const std::string directory(base::DirName(first.file));
  if (group.size() == 1) {
    return stale
               ? "/etc/ld.so.cache lists " + first.file + ", which is gone"
               : first.file + " is in a directory that ldconfig reads, but /etc/ld.so.cache does not list it";
  }
  const std::string all = first.request->name + " and " + std::to_string(group.size() - 1) + " more";
  return stale ? "/etc/ld.so.cache lists " + all + " in " + directory + ", which are gone"
               : all + " are in " + directory +
                     ", which ldconfig reads, but /etc/ld.so.cache does not list them";
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const Group& group : Groups(scene)) {
    const FailedLoad& first = *group.front();
    report::Finding& finding = Fire(ruling, first, Summary(group), first.file);
    for (const FailedLoad* failed : group) {
      const std::string place = failed->copies.empty() ? "" : "; it is in " + NewPlace(*failed);
      finding.evidence.push_back(
          {failed->file + (failed->why == Why::kStaleCache ? " does not exist" + place : " exists"),
           "/etc/ld.so.cache"});
    }
    finding.fix = Repair(scene, first);
    if (first.why == Why::kStaleCache && first.copies.empty()) {
      finding.cause = first.library == nullptr ? "dependent-missing"
                      : first.IsCudnnShim()    ? "cudnn-missing"
                      : first.IsCudnn()        ? "cudnn-sublibrary-missing"
                                               : "cuda-library-missing";
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
