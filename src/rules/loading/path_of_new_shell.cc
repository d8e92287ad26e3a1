// CUL5024: PATH was changed in the Windows settings after this process started.
#include "base/text.h"
#include "base/windows/path.h"
#include "rules/kit/loading/failed_loads.h"
#include "rules/kit/loading/windows_search.h"

namespace culprit::rules::path_of_new_shell {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
The DLL is in a directory that the Windows settings have on PATH (of the user or of the machine), but this shell's PATH
does not contain it: PATH was changed after the shell, editor or service was started.

## Why it breaks
A program inherits PATH from the program that starts it. Only programs newly started from the desktop see the change;
editors and notebooks with a built-in terminal keep the old one.
## How culprit knows
culprit compares PATH of this process with the two in the registry (HKLM\SYSTEM\CurrentControlSet\Control\Session
Manager\Environment and HKCU\Environment).

## Fix
Close the window, the editor and the notebook server, and start them again; for services, sign out and back in.

## When this is not your problem
The shell was given its own PATH on purpose.

## Sources
Microsoft, Environment Variables (how a process gets its environment; WM_SETTINGCHANGE).
)md";

void Check(const Scene& scene, Ruling& ruling) {
  for (const FailedLoad& failed : FailedLoads(scene)) {
    const auto search = HowItIsMissed(scene, failed);
    if (search.kind != Missed::kNewShell) continue;
    report::Finding& finding = Fire(ruling, failed,
                                    failed.request->name + " is in " + search.directory + ", which is on " +
                                        search.source + ", but not on this shell's PATH",
                                    base::JoinPath(search.directory, failed.request->name), {search.source});
    finding.evidence.push_back({search.directory + " is on PATH there", search.source});
    finding.evidence.push_back({"PATH of this process does not contain it", "environment"});
    finding.fix = {
        .text = "close this window (and the editor or notebook that it belongs to) and open a new one",
        .commands = {"set \"PATH=" + InQuotes(search.directory) + ";%PATH%\""},
        .risk = report::Risk::kNone,
        .changes = {report::AddToList{"PATH", base::ToWindowsPath(search.directory)}}};
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5024",
                           .name = "path_of_new_shell",
                           .family = Family::kLoading,
                           .cause = "search-path",
                           .severity = report::Severity::kError,
                           .where = Where::kWindows,
                           .since = "0.4.0",
                           .title = "a DLL's directory is on PATH in new windows, but not in this one",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::path_of_new_shell
