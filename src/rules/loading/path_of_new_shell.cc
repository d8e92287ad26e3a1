// CUL5024: PATH was changed in the settings of Windows; this process does not have it.
#include "base/text.h"
#include "base/windows_path.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/loading/windows_search.h"

namespace culprit::rules::path_of_new_shell {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The DLL lies in a directory that the settings of Windows have on PATH (of the user or of the machine), but the PATH of this shell
does not hold it: it was changed after the shell, the editor or the service was started.

## Why it breaks
A program inherits the PATH of the program that starts it. Only what the desktop starts anew sees the change; editors and notebooks
with a terminal inside keep the old one.

## How culprit knows
PATH of this process is compared with the two in the registry (HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment
and HKCU\Environment).

## Fix
Close the window, the editor and the notebook server, and start them again; sign out and in for services.

## When this is not your problem
A shell that was given a PATH of its own on purpose.

## Sources
Microsoft, Environment Variables (how a process gets its environment; WM_SETTINGCHANGE).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    const auto search = HowItIsMissed(scene, failed);
    if (search.kind != Missed::kNewShell) continue;
    report::Finding& finding = Fire(ruling, failed,
                                    failed.request->name + " is in " + search.directory + ", which " +
                                        search.source + " names, but the PATH of this shell does not",
                                    base::JoinPath(search.directory, failed.request->name));
    finding.evidence.push_back({search.directory + " is on PATH there", search.source});
    finding.evidence.push_back({"PATH of this process does not hold it", "environment"});
    finding.fix = {
        .text = "close this window (and the editor or notebook that it belongs to) and open a new one",
        .commands = {"set \"PATH=" + base::ToWindowsPath(search.directory) + ";%PATH%\""},
        .risk = "none",
        .changes = {report::AddToList{"PATH", base::ToWindowsPath(search.directory)}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5024",
                           .name = "path_of_new_shell",
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "the directory of a DLL is on the PATH of new windows, not of this one",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::path_of_new_shell
