#include "rules/kit/search_fixes.h"

#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "rules/kit/changes.h"
#include "rules/kit/load_fixes.h"
#include "rules/kit/loading/other_places.h"
#include "rules/kit/loading/windows_search.h"

namespace culprit::rules {

namespace {

// PATH is used when DLLs and programs load by name; what Python itself loads needs add_dll_directory.
report::Fix SearchTooOnWindows(const Scene& scene, const FailedLoad& failed, const std::string& directory) {
  const std::string spelled = base::ToWindowsPath(directory);
  if (SearchesPath(*failed.request)) {
    report::Fix fix{.text = "put " + directory +
                            " on PATH: the command does it for this window; for new ones use the " +
                            "Windows settings (Environment Variables). Do not copy single DLLs around",
                    .commands = {"set \"PATH=" + InQuotes(spelled) + ";%PATH%\""},
                    .risk = report::Risk::kLow,
                    .changes = {report::AddToList{"PATH", spelled}}};
    if (!failed.scenario->graph.target.empty()) {  // otherwise it means any program
      fix.commands.push_back(StartCommand(scene, *failed.scenario));
    }
    return fix;
  }
  return {
      .text =
          "add the directory before the import: Python does not search PATH for its modules' DLLs. Do not "
          "copy single DLLs around",
      .commands = {"import os; os.add_dll_directory(r\"" + InQuotes(spelled) + "\")"},
      .risk = report::Risk::kLow,
      .changes = {report::NotInFiles{"the program calls os.add_dll_directory",
                                     "culprit does not read what the code does before the import"}}};
}

}  // namespace

bool SearchesPath(const loader::Request& request) {
  return std::ranges::any_of(request.attempts, [](const loader::Attempt& attempt) {
    return attempt.via == loader::Via::kEnvironmentPath || attempt.via == loader::Via::kCurrentDirectory;
  });
}

namespace {

// The directories in the environment of everything that the same library needs. Each NVIDIA package has its
// own, and the loader stops at the first library that it does not find.
std::vector<std::string> WithNeighbours(const Scene& scene, const FailedLoad& failed,
                                        const std::string& directory) {
  const size_t site = directory.rfind("-packages/nvidia/");
  const auto& asker = scene.view.Open(failed.asker);
  if (site == std::string::npos || asker.elf == nullptr) return {directory};
  const auto directories = loader::LibraryDirectories(scene.snapshot, scene.view);
  std::vector<std::string> named = {directory};
  for (const binfmt::ElfRequest& request : asker.elf->requests) {
    if (knowledge::FindLibrary(request.name) == nullptr) continue;
    for (const loader::LibraryCopy& copy : loader::FindCopies(directories, scene.view, request.name)) {
      const std::string other(base::DirName(copy.path));
      if (!other.starts_with(directory.substr(0, site)) || std::ranges::find(named, other) != named.end())
        continue;
      named.push_back(other);
    }
  }
  return named;
}

// Whether the directory is one that the program brings, and not one of the system.
bool IsOwn(const Scene& scene, const loader::Scenario& scenario, const std::string& directory) {
  const auto own = OwnDirectories(scene, scenario);
  return !directory.starts_with("/usr/") &&
         std::ranges::find(own, scene.view.RealPath(directory)) != own.end();
}

// "./usr/lib" in LD_LIBRARY_PATH leads to /opt/x/usr/lib only for who starts the program in /opt/x: says so.
void AddRelativeEntries(const Scene& scene, const std::string& directory, report::Finding& finding) {
  for (const std::string& element : base::SplitWords(scene.Variable("LD_LIBRARY_PATH"), ":;")) {
    if (element.starts_with('/')) continue;
    const std::string tail = base::CleanPath("/" + element);
    if (tail == "/" || !directory.ends_with(tail)) continue;
    const std::string start = directory.substr(0, directory.size() - tail.size());
    finding.evidence.push_back({"LD_LIBRARY_PATH has the relative directory " + element + ", which is " +
                                    directory + " only for programs that are started in " +
                                    (start.empty() ? "/" : start),
                                "environment"});
  }
}

// The run paths in which the library was, perhaps, before they were moved or deleted.
void AddDeadRunPaths(const Scene& scene, const FailedLoad& failed, report::Finding& finding) {
  for (const loader::Attempt& attempt : failed.request->attempts) {
    const auto& elf = scene.view.Open(attempt.origin).elf;
    if (!attempt.in_missing_directory || attempt.hwcaps || elf == nullptr) continue;
    const std::string dead(base::DirName(attempt.path));
    const bool rpath = attempt.via == loader::Via::kRpath;
    if (!base::Contains((rpath ? elf->rpath : elf->runpath).value_or(""), dead)) continue;  // of $ORIGIN
    finding.evidence.push_back(
        {std::string("the ") + (rpath ? "RPATH" : "RUNPATH") + " names " + dead + ", which does not exist",
         attempt.origin});
  }
}

}  // namespace

report::Fix SearchToo(const Scene& scene, const FailedLoad& failed, const std::string& directory) {
  if (scene.OnWindows()) return SearchTooOnWindows(scene, failed, directory);
  const bool private_directory = directory.find("site-packages") != std::string::npos ||
                                 directory.find("dist-packages") != std::string::npos ||
                                 directory.starts_with("/home/") || directory.starts_with("/root/") ||
                                 IsOwn(scene, *failed.scenario, directory) ||
                                 scene.EnvironmentOf(*failed.scenario) != nullptr;
  if (private_directory) {
    report::Fix fix{
        .text =
            "set the directory for this program only; do not export it for the whole shell, where it would "
            "shadow the libraries that other programs bundle",
        .commands = {},
        .risk = report::Risk::kLow};
    std::string all;
    for (const std::string& one : WithNeighbours(scene, failed, directory)) {
      all += (all.empty() ? "" : ":") + one;
      fix.changes.insert(fix.changes.begin(), report::AddToList{"LD_LIBRARY_PATH", one});
    }
    fix.commands = {"LD_LIBRARY_PATH=" + Word(all) + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} " +
                    StartCommand(scene, *failed.scenario)};
    return fix;
  }
  return SearchByLdconfig(failed, directory);
}

report::Fix SearchByLdconfig(const FailedLoad& failed, const std::string& directory) {
  const std::string name = failed.library != nullptr ? "cuda-libraries" : "local-libraries";
  return {
      .text = "add the directory to ldconfig: unlike LD_LIBRARY_PATH it is searched last and shadows nothing",
      .commands = {"echo " + Word(directory) + " | sudo tee /etc/ld.so.conf.d/" + Plain(name) + ".conf",
                   "sudo ldconfig"},
      .risk = report::Risk::kLow,
      .changes = SearchedByLdconfig(directory, name)};
}

void AddCopies(const Scene& scene, const FailedLoad& failed, const std::string& otherwise,
               report::Finding& finding) {
  for (const loader::LibraryCopy& copy : failed.copies) {
    const auto version = scene.view.Version(copy.path);
    finding.evidence.push_back({copy.path + (version ? " is " + version->version : otherwise),
                                version ? version.source : copy.path});
  }
}

void FireNotSearched(const Scene& scene, const FailedLoad& failed, Ruling& ruling) {
  const Missed missed = HowItIsMissed(scene, failed).kind;
  if (missed == Missed::kPathLeftOut || missed == Missed::kNewShell) return;  // CUL5025, CUL5024
  const std::string directory(base::DirName(failed.copies.front().path));
  report::Finding& finding = Fire(
      ruling, failed, failed.request->name + " is in " + directory + ", which the loader does not search",
      failed.copies.front().path, {failed.request->name});
  AddCopies(scene, failed, " is there", finding);
  if (!scene.OnWindows()) {
    AddRelativeEntries(scene, directory, finding);
    AddDeadRunPaths(scene, failed, finding);
  }
  finding.fix = SearchToo(scene, failed, directory);
}

}  // namespace culprit::rules
