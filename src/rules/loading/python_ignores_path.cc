// CUL5025: Python 3.8 and later does not search PATH for its modules' DLLs.
#include "base/text.h"
#include "base/windows/path.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/loading/windows_search.h"
#include "rules/kit/search_fixes.h"

namespace culprit::rules::python_ignores_path {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
An extension module, or a DLL that Python loads with ctypes, needs a DLL in a directory on PATH. Python 3.8 and later
loads with flags that exclude PATH.

## Why it breaks
"ImportError: DLL load failed while importing ...: The specified module could not be found", "Could not find module
'...' (or one of its dependencies)", although `where` finds the file. When a DLL itself loads others (cuDNN its
sub-libraries), PATH is used.

## How culprit knows
culprit simulates the load with the flags that CPython uses: the directory of the module, that of python.exe, those of
os.add_dll_directory and System32.

## Fix
Call os.add_dll_directory with that directory before the import, or install the wheel that provides the DLL
(nvidia-cudnn-cuNN) where the framework looks. Do not copy single DLLs into System32.

## When this is not your problem
Python 3.7 and older, and conda's Python with CONDA_DLL_SEARCH_MODIFICATION_ENABLE, do search PATH.

## Sources
What's New In Python 3.8 (bpo-36085); CPython, Python/dynload_win.c and Lib/ctypes/__init__.py.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    const auto search = HowItIsMissed(scene, failed);
    if (search.kind != Missed::kPathLeftOut) continue;
    report::Finding& finding = Fire(ruling, failed,
                                    failed.request->name + " is in " + search.directory +
                                        ", which is on PATH; Python does not search PATH for " +
                                        std::string(base::BaseName(failed.asker)) + " (error 126)",
                                    base::JoinPath(search.directory, failed.request->name), {failed.asker});
    finding.evidence.push_back({search.directory + " is on PATH", "environment"});
    finding.evidence.push_back({"Python 3.8 and later loads with LOAD_LIBRARY_SEARCH_DEFAULT_DIRS",
                                "CPython, Python/dynload_win.c"});
    finding.fix = SearchToo(scene, failed, search.directory);
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5025",
                           .name = "python_ignores_path",
                           .family = Family::kLoading,
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "a DLL's directory is on PATH, but Python does not search PATH",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::python_ignores_path
