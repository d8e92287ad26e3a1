#include "loader/imports.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/packages/imports.h"
#include "loader/import_names.h"

namespace culprit::loader {
namespace {

using knowledge::ImportRow;
using knowledge::StepAction;
using snapshot::Framework;
using snapshot::PythonEnvironment;

constexpr std::string_view kNotFound =
    "error 126";  // how the model's message for it starts (windows/words.cc)

// "2.11.0+cu130", "2.6.0a0" -> the numbers at the start.
std::optional<base::Version> Numbers(std::string_view version) {
  const size_t end = version.find_first_not_of("0123456789.");
  version = version.substr(0, end);
  while (version.ends_with('.')) version.remove_suffix(1);
  return base::Version::Parse(version);
}

// Flags for LoadLibraryEx. Python before 3.8 searched PATH: it used no flags except the altered search path.
uint32_t Flags(knowledge::StepSearch search, const PythonEnvironment& environment) {
  const auto python = base::Version::Parse(environment.python);
  const bool old = python && *python < base::Version{{3, 8}};
  switch (search) {
    case knowledge::StepSearch::kStandard:
      return 0;
    case knowledge::StepSearch::kAltered:
      return 0x8;
    case knowledge::StepSearch::kDllLoadDir:
      return 0x1100;
    case knowledge::StepSearch::kPython:
      return old ? 0x8 : 0x1100;
    case knowledge::StepSearch::kCtypes:
      return old ? 0 : 0x1000;
  }
  return 0;
}

ImportStep::When When(knowledge::StepWhen when) {
  switch (when) {
    case knowledge::StepWhen::kAlways:
      return ImportStep::When::kAlways;
    case knowledge::StepWhen::kFailed:
      return ImportStep::When::kFailed;
    case knowledge::StepWhen::kOpened:
      return ImportStep::When::kOpened;
  }
  return ImportStep::When::kAlways;
}

class Expander {
 public:
  Expander(const snapshot::Snapshot& snapshot, const PythonEnvironment& environment,
           const Framework& framework, snapshot::FileView& view, std::vector<ImportStep>& steps)
      : environment_(environment),
        framework_(framework),
        names_(snapshot, environment, framework, view),
        os_(snapshot.windows() == nullptr ? knowledge::ImportOs::kUnix : knowledge::ImportOs::kWindows),
        steps_(steps) {}

  bool Applies(const ImportRow& row) {
    if (row.framework != framework_.name || row.os != os_) return false;
    if (!row.cuda.empty() && std::ranges::find(row.cuda, names_.cuda()) == row.cuda.end()) return false;
    if (!InVersions(row)) return false;
    return !names_.FirstFile(Filled(row.unless, ""), /*everywhere=*/false);
  }

  void AddSteps(const ImportRow& row) {
    static constexpr std::array<std::string_view, 1> kOne = {""};
    const std::span<const std::string_view> each = row.each.empty() ? std::span(kOne) : row.each;
    for (const std::string_view item : each) {
      const std::vector<std::string> wanted = Filled(row.names, item);
      if (row.action != StepAction::kOpen) {
        AddDirectories(row, wanted);
      } else if (row.every) {
        for (const std::string& name : wanted) AddEvery(row, name);
      } else {
        AddOpen(row, wanted);
      }
    }
  }

 private:
  bool InVersions(const ImportRow& row) const {
    if (row.since.empty() && row.until.empty()) return true;
    const auto version = Numbers(framework_.version);
    if (!version) return false;
    if (!row.since.empty() && *version < *base::Version::Parse(row.since)) return false;
    return row.until.empty() || *version < *base::Version::Parse(row.until);
  }

  std::vector<std::string> Filled(std::span<const std::string_view> names, std::string_view item) const {
    std::vector<std::string> filled;
    for (const std::string_view name : names) {
      if (auto text = names_.Fill(name, item)) filled.push_back(*std::move(text));
    }
    return filled;
  }

  ImportStep Step(const ImportRow& row) {
    return {.flags = Flags(row.search, environment_),
            .from = CallerOf(row.from),
            .optional = row.optional,
            .label = std::string(row.label),
            .after = std::string(row.after),
            .when = When(row.when),
            .texts = {row.texts.begin(), row.texts.end()},
            .loaded = std::string(row.loaded)};
  }

  void AddOpen(const ImportRow& row, const std::vector<std::string>& wanted) {
    ImportStep step = Step(row);
    if (auto file = names_.FirstFile(wanted, row.everywhere)) {
      step.names = {*std::move(file)};
    } else {
      for (const std::string& name : wanted) {
        if (name.find('/') == std::string::npos) step.names.push_back(name);
      }
    }
    if (step.names.empty()) {
      if (row.optional) return;
      step.wanted = wanted.empty() ? std::string(row.names.front()) : wanted.front();
    }
    steps_.push_back(std::move(step));
  }

  void AddDirectories(const ImportRow& row, const std::vector<std::string>& wanted) {
    ImportStep step = Step(row);
    step.action = row.action == StepAction::kAddDllDirectory ? ImportStep::Action::kAddDllDirectory
                                                             : ImportStep::Action::kPrependPath;
    for (const std::string& name : wanted) {
      if (auto directory = names_.Directory(name)) step.names.push_back(*std::move(directory));
    }
    if (step.names.empty()) return;
    if (row.action == StepAction::kAddDllDirectory) {
      directories_.insert(directories_.end(), step.names.begin(), step.names.end());
    }
    steps_.push_back(std::move(step));
  }

  // One step per file. If the row says so, followed by what happens if it is not found: the directories are
  // put on PATH, and it is opened again as any program would.
  void AddEvery(const ImportRow& row, const std::string& name) {
    for (const std::string& file : names_.EveryFile(name)) {
      ImportStep step = Step(row);
      step.names = {file};
      if (!row.retry_with_path) {
        steps_.push_back(std::move(step));
        continue;
      }
      step.label = file;
      step.optional = true;
      steps_.push_back(std::move(step));
      steps_.push_back({.action = ImportStep::Action::kPrependPath,
                        .names = directories_,
                        .after = file,
                        .when = ImportStep::When::kFailed,
                        .texts = {std::string(kNotFound)}});
      steps_.push_back({.names = {file},
                        .optional = row.optional,
                        .after = file,
                        .when = ImportStep::When::kFailed,
                        .texts = {std::string(kNotFound)}});
    }
  }

  // A caller with '/' is a file below the framework's site-packages, which a tool may have renamed.
  std::string CallerOf(std::string_view from) {
    if (from.find('/') == std::string_view::npos) return std::string(from);
    return names_.FirstFile({std::string(from)}, /*everywhere=*/false).value_or(std::string(from));
  }

  const PythonEnvironment& environment_;
  const Framework& framework_;
  ImportNames names_;
  knowledge::ImportOs os_;
  std::vector<std::string> directories_;  // passed to os.add_dll_directory so far
  std::vector<ImportStep>& steps_;
};

bool IsThere(snapshot::FileView& view, const std::string& path) {
  return view.Open(path).error == base::PathError::kNone;
}

std::vector<std::string> NeededBy(snapshot::FileView& view, const std::string& path) {
  const snapshot::FileFacts& facts = view.Open(path);
  std::vector<std::string> names;
  if (facts.elf != nullptr) {
    for (const auto& request : facts.elf->requests) names.push_back(request.name);
  }
  if (facts.pe != nullptr) {
    for (const auto& import : facts.pe->imports) names.push_back(import.dll);
  }
  return names;
}

// A package without rows: Python opens its libraries by path. Which of them, and what its own code opens
// before, nobody has read; so one that opens is enough, and what is not found may come from other
// packages.
class Unwritten {
 public:
  Unwritten(const PythonEnvironment& environment, const Framework& framework, snapshot::FileView& view)
      : environment_(environment), framework_(framework), view_(view) {
    for (const std::string& library : framework.libraries) {
      for (std::string& name : NeededBy(view, library)) needed_.insert(std::move(name));
    }
  }

  // Another framework that has a library which this one needs, so it must be imported before.
  const Framework* First() const {
    for (const Framework& other : environment_.frameworks) {
      if (!knowledge::HasImportRows(other.name)) continue;
      for (const std::string& name : needed_) {
        if (IsThere(view_, base::JoinPath(other.directory, "lib/" + name)) ||
            IsThere(view_, base::JoinPath(other.directory, name)))
          return &other;
      }
    }
    return nullptr;
  }

  void AddSteps(uint32_t flags, std::vector<ImportStep>& steps) const {
    const std::vector<std::string> roots = Roots();
    if (roots.empty()) return;
    const std::string label = "libraries of " + framework_.name;
    steps.push_back({.flags = flags, .names = roots, .optional = true, .label = label});
    for (std::string& file : InPackages()) {
      steps.push_back({.flags = flags,
                       .names = {std::move(file)},
                       .optional = true,
                       .after = label,
                       .when = ImportStep::When::kFailed});
    }
    steps.push_back({.flags = flags, .names = roots, .after = label, .when = ImportStep::When::kFailed});
    for (const std::string& root : roots)
      steps.push_back({.flags = flags, .names = {root}, .optional = true});
  }

 private:
  // Its libraries that none of the others needs.
  std::vector<std::string> Roots() const {
    std::vector<std::string> roots;
    std::ranges::copy_if(framework_.libraries, std::back_inserter(roots), [&](const std::string& library) {
      return !needed_.contains(std::string(base::BaseName(library)));
    });
    return roots;
  }

  // The files of other packages under the names that it needs, each after what it needs itself.
  std::vector<std::string> InPackages() const {
    std::vector<std::string> files;
    std::set<std::string> seen;
    for (const std::string& name : needed_) AddFromPackages(name, seen, files);
    return files;
  }

  void AddFromPackages(const std::string& name, std::set<std::string>& seen,
                       std::vector<std::string>& files) const {
    if (!seen.insert(name).second) return;
    for (const std::string& site : environment_.site_packages) {
      for (const std::string& place : Places(site, name)) {
        std::string path = base::JoinPath(place, name);
        if (!IsThere(view_, path) && view_.Open(path).error != base::PathError::kAccess) continue;
        if (!path.starts_with(base::JoinPath(site, "nvidia/"))) {
          for (const std::string& other : NeededBy(view_, path)) AddFromPackages(other, seen, files);
        }
        files.push_back(std::move(path));
      }
    }
  }

  // Where a library can be that Python code opens by its path: beside its own and above (OpenMM opens all
  // that lie in its folder of plug-ins), in NVIDIA's packages, and in a package that is named after it
  // (librmm.so in librmm/lib64).
  std::vector<std::string> Places(const std::string& site, const std::string& name) const {
    std::vector<std::string> places;
    for (const std::string& library : framework_.libraries) {
      for (const std::string_view own : {base::DirName(library), base::DirName(base::DirName(library))}) {
        if (own.starts_with(site + "/") && std::ranges::find(places, own) == places.end())
          places.emplace_back(own);
      }
    }
    const std::string top = base::JoinPath(site, "nvidia");
    for (const snapshot::DirectoryItem& folder :
         view_.List(top).value_or(std::vector<snapshot::DirectoryItem>())) {
      for (const char* place : {"/lib", "/bin"}) places.push_back(base::JoinPath(top, folder.name) + place);
    }
    const std::string whole = name.substr(0, name.find('.'));
    if (!whole.starts_with("lib")) return places;
    for (const std::string& package : {whole, whole.substr(3)}) {
      for (const char* place : {"/lib64", "/lib"}) places.push_back(base::JoinPath(site, package) + place);
    }
    return places;
  }

  const PythonEnvironment& environment_;
  const Framework& framework_;
  snapshot::FileView& view_;
  std::set<std::string> needed_;
};

}  // namespace

std::vector<ImportStep> ImportSteps(const snapshot::Snapshot& snapshot, const PythonEnvironment& environment,
                                    const Framework& framework, snapshot::FileView& view) {
  std::vector<ImportStep> steps;
  for (const knowledge::ImportsFirst& first : knowledge::ImportsFirsts()) {
    if (first.framework != framework.name || first.other == framework.name) continue;
    for (const Framework& other : environment.frameworks) {
      if (other.name == first.other) steps = ImportSteps(snapshot, environment, other, view);
    }
  }
  if (!knowledge::HasImportRows(framework.name)) {
    const Unwritten unwritten(environment, framework, view);
    if (const Framework* first = unwritten.First()) steps = ImportSteps(snapshot, environment, *first, view);
    unwritten.AddSteps(Flags(knowledge::StepSearch::kPython, environment), steps);
    return steps;
  }
  Expander expander(snapshot, environment, framework, view, steps);
  for (const ImportRow& row : knowledge::ImportRows()) {
    if (expander.Applies(row)) expander.AddSteps(row);
  }
  return steps;
}

}  // namespace culprit::loader
