// CUL5003: ld.so.cache does not know what is on disk.
#include "rules/failed_loads.h"
#include "rules/rule.h"
#include "rules/table.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The loader asks /etc/ld.so.cache instead of listing directories. The cache still names a file that is gone, or does not
name one that was installed after ldconfig ran the last time.

## Why it breaks
A library that was copied by hand, unpacked from an archive or installed into an image without running ldconfig is not
found although it lies in the right place.

## How culprit knows
The cache was read, and the file that it names (or does not) was looked for.

## Fix
Run ldconfig.

## When this is not your problem
Programs that find the library through a run path do not ask the cache.

## Sources
ldconfig(8); ld.so(8) and the source of glibc (elf/dl-load.c).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (failed.why != Why::kStaleCache && failed.why != Why::kNotCached) continue;
    report::Finding& finding =
        Fire(ruling, failed,
             failed.why == Why::kStaleCache
                 ? "/etc/ld.so.cache leads to " + failed.file + ", which is gone"
                 : failed.file + " lies in a directory of /etc/ld.so.cache, and the cache does not know it",
             failed.file);
    finding.evidence.push_back(
        {failed.file + (failed.why == Why::kStaleCache ? " does not exist" : " exists"), "/etc/ld.so.cache"});
    finding.fix = {.text = "bring the cache up to date", .commands = {"sudo ldconfig"}, .risk = "low"};
  }
}

}  // namespace

const Rule kStaleLdSoCache = {.code = "CUL5003",
                              .name = "stale_ld_so_cache",
                              .cause = "search-path",
                              .severity = report::Severity::kError,
                              .where = Where::kLinux,
                              .since = "0.2.0",
                              .title = "ld.so.cache does not know what is on disk",
                              .page = kPage,
                              .check = Check};

}  // namespace culprit::rules
