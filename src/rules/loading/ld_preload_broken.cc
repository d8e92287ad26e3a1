// CUL5015: an LD_PRELOAD library fails to load.
#include <set>
#include <utility>

#include "rules/kit/variables/variable_fixes.h"
#include "rules/rule.h"

namespace culprit::rules::ld_preload_broken {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
LD_PRELOAD or /etc/ld.so.preload lists a library that the loader cannot load.

## Why it breaks
The loader prints "ERROR: ld.so: object ... cannot be preloaded: ignored." whenever a program starts, and continues
without it. The preload has no effect, and the line on stderr disturbs scripts.

## How culprit knows
culprit simulates starting a program with this shell's preloads.

## Fix
Correct or unset LD_PRELOAD; remove the line from /etc/ld.so.preload.

## When this is not your problem
A library that only 32-bit programs can use fails for the 64-bit ones, and the other way round.

## Sources
ld.so(8).
)md";

report::Fix WithoutVariableEntry(const Scene& scene, const std::string& name) {
  const std::string rest = WithoutEntries(scene.Variable("LD_PRELOAD"), ": ",
                                          [&](const std::string& entry) { return entry == name; });
  return SetOrUnset(scene, "LD_PRELOAD", rest, "remove " + name + " from LD_PRELOAD, or correct it");
}

// Removes only the name, wherever it is in the file; comments and other entries stay.
report::Fix WithoutFileEntry(const Scene& scene, const std::string& name) {
  constexpr std::string_view kSeparators = " \t\n:";
  std::string rest = *scene.snapshot.ld_so_preload, pattern;
  for (size_t at = rest.find(name); at != std::string::npos; at = rest.find(name, at)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || kSeparators.contains(rest[at - 1]);
    const bool ends = end == rest.size() || kSeparators.contains(rest[end]);
    if (begins && ends) {
      rest.erase(at, name.size());
    } else {
      at = end;
    }
  }
  for (const char c : name)
    pattern += c == '.' || c == '[' || c == '*' ? std::string{'\\', c} : std::string{c};
  report::Fix fix{.text = "remove the entry from the file; running programs are not affected",
                  .commands = {},
                  .risk = report::Risk::kLow,
                  .changes = {report::PutText{"/etc/ld.so.preload", rest}}};
  // sed would read these, and can run commands.
  if (name.find_first_of("|\\^$") == std::string::npos)
    fix.commands = {"sudo sed -i " + Quoted("s|" + pattern + "||") + " /etc/ld.so.preload"};
  return fix;
}

// A file is there, and it is a text or something else that no loader takes.
bool IsNoLibrary(const Scene& scene, const std::string& name) {
  if (!name.starts_with('/')) return false;
  const snapshot::FileFacts& file = scene.view.Open(name);
  return file.error == base::PathError::kNone && file.elf != nullptr &&
         (file.elf->problem == binfmt::ElfProblem::kNotElf ||
          file.elf->problem == binfmt::ElfProblem::kTooShort);
}

void Check(const Scene& scene, Ruling& ruling) {
  std::set<std::pair<std::string, bool>> told;
  for (const loader::Scenario& scenario : scene.scenarios) {
    for (const auto& [name, file, words] : scenario.graph.failed_preloads) {
      if (!told.emplace(name, file).second) continue;
      const std::string subject = file ? "/etc/ld.so.preload" : "LD_PRELOAD";
      report::Finding& finding =
          ruling.Fire(subject + " lists " + name + ", which cannot be loaded", subject, {name});
      if (IsNoLibrary(scene, name)) finding.cause = "corrupt-library";
      finding.affects.push_back(scenario.title);
      finding.evidence.push_back({words, "predicted by the loader model"});
      finding.fix = file ? WithoutFileEntry(scene, name) : WithoutVariableEntry(scene, name);
    }
  }
}

}  // namespace

extern const Rule kRule = {.code = "CUL5015",
                           .name = "ld_preload_broken",
                           .family = Family::kLoading,
                           .cause = "search-path",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "an LD_PRELOAD library fails to load",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::ld_preload_broken
