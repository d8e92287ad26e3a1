// CUL5042: a list of directories in a variable is malformed.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "loader/list_entry.h"
#include "rules/rule.h"

namespace culprit::rules::list_variable_malformed {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
LD_LIBRARY_PATH, PATH, PYTHONPATH or a similar variable is a list with colons between its directories. This one
contains quotes, other separators, a "~" or a "$HOME" that no shell expanded, or a file instead of a directory.
## Why it breaks
The whole text between two colons is taken as a directory name. No such directory exists, and nothing reports it: the
libraries in the right directory are simply not found.
## How culprit knows
The entry is not a directory, but its corrected form is plausible. The loader reads semicolons in LD_LIBRARY_PATH like
colons, and expands $ORIGIN, $LIB and $PLATFORM.
## Fix
Set the corrected value, and correct the line that sets it. Quotes belong around the whole assignment, not inside the
value; files that no shell reads (Dockerfile ENV, systemd, .env) expand no "~".
## When this is not your problem
The directories exist only where the program runs: in a container, or on another node.

## Sources
ld.so(8), LD_LIBRARY_PATH; POSIX, "Other Environment Variables", PATH; Python documentation, PYTHONPATH.
)md";

constexpr std::array<std::string_view, 5> kLists = {"LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "CPATH",
                                                    "LIBRARY_PATH"};

// Programs and headers are found in many other places too, and bash itself expands a "~" in PATH. So what is
// wrong there is only worth a note, unless it is about CUDA.
bool Matters(const std::string& name, std::string_view entry) {
  if (name == "LD_LIBRARY_PATH" || name == "PYTHONPATH") return true;
  return base::Contains(entry, "cuda") || base::Contains(entry, "cudnn") || base::Contains(entry, "nvidia");
}

void CheckList(const Scene& scene, const std::string& name, Ruling& ruling) {
  const std::string value(scene.Variable(name));
  if (value.empty()) return;
  const std::string home(scene.Variable("HOME"));
  std::string better, what, first;
  const bool loader = name == "LD_LIBRARY_PATH";
  std::string split = value;
  if (loader) std::ranges::replace(split, ';', ':');  // ld.so reads both
  for (const std::string& entry : base::Split(split, ':')) {
    const loader::ListEntry corrected = loader::CorrectListEntry(scene.view, home, entry);
    if (what.empty() && !corrected.what.empty()) {
      what = corrected.what;
      first = entry;
    }
    for (const std::string& part : corrected.directories) {
      if (!part.empty()) better += (better.empty() ? "" : ":") + part;
    }
  }
  if (what.empty()) return;
  report::Finding& finding =
      ruling.Fire(name + " " + what + ": " + first + " is searched as one directory name", name);
  if (!Matters(name, first)) finding.severity = report::Severity::kNote;
  finding.evidence.push_back({name + "=" + value, "environment"});
  finding.evidence.push_back({"there is no directory " + first, "the files of this machine"});
  finding.fix = {.text = "set the corrected list, and correct the line that sets it",
                 .commands = {"export " + Plain(name) + "=" + Quoted(better)},
                 .risk = report::Risk::kLow,
                 .changes = {report::SetVariable{name, better}}};
}

void Check(const Scene& scene, Ruling& ruling) {
  for (const std::string_view name : kLists) CheckList(scene, std::string(name), ruling);
}

}  // namespace

extern const Rule kRule = {.code = "CUL5042",
                           .name = "list_variable_malformed",
                           .family = Family::kLoading,
                           .explains = Explains::kNothing,
                           .cause = "search-path",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.9.0",
                           .title = "a list of directories in a variable is malformed",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::list_variable_malformed
