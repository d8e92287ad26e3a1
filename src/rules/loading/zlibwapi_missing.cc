// CUL5021: cuDNN 8.3 to 8.9.3 needs zlibwapi.dll, which it does not bundle.
#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/windows.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/search_fixes.h"

namespace culprit::rules::zlibwapi_missing {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
A cuDNN 8 DLL imports zlibwapi.dll, which cuDNN's archive does not bundle and the search does not find. Releases from
8.3 to 8.9.3 need it; later ones have zlib built in.

## Why it breaks
"Could not locate zlibwapi.dll. Please make sure it is in your library path!", or "Could not load library
cudnn_cnn_infer64_8.dll. Error code 126": the message names the DLL that needs it. Note that later releases still print
the name of zlibwapi.dll when another DLL is missing.

## How culprit knows
From the import table of the installed DLL, not from its version; culprit simulates the search with a model of the
Windows loader.

## Fix
Put a 64-bit zlibwapi.dll (zlib 1.2.3 or later, the stdcall build) next to the cuDNN DLLs or into another directory on
PATH, or use cuDNN 8.9.4 or later.

## When this is not your problem
A cuDNN whose DLLs do not import it never needs it, whatever its messages say.

## Sources
NVIDIA, cuDNN 8 Installation Guide for Windows (section on zlib); import tables of nvidia-cudnn-cu11 8.9.4 to 9.10.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    if (!base::SameName(base::BaseName(failed.request->name), "zlibwapi.dll")) continue;
    if (failed.why != Why::kNowhere && failed.why != Why::kElsewhere) continue;
    report::Finding& finding =
        Fire(ruling, failed, "zlibwapi.dll, which " + failed.asker + " needs, is not found (error 126)",
             failed.asker);
    if (!failed.copies.empty()) {
      for (const loader::LibraryCopy& copy : failed.copies) {
        finding.evidence.push_back({copy.path + " exists but is not searched", copy.path});
      }
      finding.fix = SearchToo(scene, failed, std::string(base::DirName(failed.copies.front().path)));
      continue;
    }
    const knowledge::Redistributable* known = knowledge::FindRedistributable("zlibwapi.dll");
    finding.fix = {
        .text = (known == nullptr ? "install a 64-bit zlibwapi.dll" : std::string(known->fix)) + "; here " +
                std::string(base::DirName(failed.asker)),
        .commands = {"where /R \"%ProgramFiles%\" zlibwapi.dll"},
        .risk = report::Risk::kLow,
        .changes = {report::PutLibrary{.path = base::JoinPath(base::DirName(failed.asker), "zlibwapi.dll")}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5021",
                           .name = "zlibwapi_missing",
                           .family = Family::kLoading,
                           .cause = "dependent-missing",
                           .severity = report::Severity::kError,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "cuDNN 8 does not find zlibwapi.dll",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::zlibwapi_missing
