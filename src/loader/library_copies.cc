#include "loader/library_copies.h"

#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "knowledge/libraries.h"
#include "loader/list_entry.h"
#include "loader/windows/library_copies.h"
#include "snapshot/directory_set.h"

namespace culprit::loader {
namespace {

using snapshot::DirectorySet;
using snapshot::ExpandPattern;
using snapshot::FileKind;
using snapshot::FileView;
using snapshot::Snapshot;

// site-packages of the environments that this shell would use, as patterns.
std::vector<std::string> PythonPatterns(const Snapshot& snapshot, FileView& view) {
  std::vector<std::string> prefixes;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (std::string prefix = base::ValueOf(snapshot.environment, name); !prefix.empty())
      prefixes.push_back(std::move(prefix));
  }
  if (const std::string home = base::ValueOf(snapshot.environment, "HOME"); !home.empty())
    prefixes.push_back(home + "/.local");
  for (const std::string& directory : base::SplitWords(base::ValueOf(snapshot.environment, "PATH"), ":")) {
    const std::string python = base::JoinPath(directory, "python3");
    if (view.Open(python).error != base::PathError::kNone) continue;
    prefixes.emplace_back(base::DirName(directory));  // of a venv
    prefixes.emplace_back(
        base::DirName(base::DirName(view.RealPath(python))));  // of the installation that it was made from
    break;
  }
  std::vector<std::string> patterns;
  for (const std::string& prefix : prefixes) {
    if (!prefix.starts_with('/')) continue;
    patterns.push_back(prefix + "/lib/python3*/site-packages");
    patterns.push_back(prefix + "/lib/python3*/dist-packages");
    patterns.push_back(prefix + "/lib");
  }
  return patterns;
}

// What the collectors found outside the usual directories.
void AddCollected(const Snapshot& snapshot, FileView& view, DirectorySet& directories) {
  if (snapshot.stack.cudnn) {
    for (const auto& copy : *snapshot.stack.cudnn) directories.Add(copy.directory);
  }
  if (snapshot.stack.toolkits) {
    for (const auto& toolkit : snapshot.stack.toolkits->copies) {
      for (const char* below : {"lib64", "lib"}) directories.Add(base::JoinPath(toolkit.root, below));
    }
  }
  if (!snapshot.stack.environments) return;
  for (const auto& environment : *snapshot.stack.environments) {
    if (environment.kind == snapshot::EnvironmentKind::kConda)
      directories.Add(base::JoinPath(environment.prefix, "lib"));
    for (const std::string& site : environment.site_packages) {
      if (!site.starts_with('/') || view.Directory(site) != base::PathError::kNone) continue;
      for (const std::string_view below : knowledge::UsualPythonDirectories()) {
        directories.AddPattern(base::JoinPath(site, below));
      }
    }
  }
}

// Windows names are case-insensitive: "x64_9.dll".
bool IsDll(std::string_view name) { return base::FoldCase(name).ends_with(".dll"); }

// True for "libx.so.9" given "libx.so.9", "libx.so.9.1.0", "libx-0a1b2c3d.so.9.1.0".
bool Carries(std::string_view file, std::string_view name) {
  if (IsDll(name)) return base::SameName(file, name);
  const auto versioned = [](std::string_view text, std::string_view stem) {
    return text.starts_with(stem) && (text.size() == stem.size() || text[stem.size()] == '.');
  };
  if (versioned(file, name)) return true;
  const size_t so = name.find(".so");
  if (so == std::string_view::npos) return false;
  constexpr size_t kHash = 9;  // "-" and eight hexadecimal digits
  if (!file.starts_with(name.substr(0, so)) || file.size() < so + kHash || file[so] != '-') return false;
  const std::string_view hash = file.substr(so + 1, kHash - 1);
  if (hash.find_first_not_of("0123456789abcdef") != std::string_view::npos) return false;
  return versioned(file.substr(so + kHash), name.substr(so));
}

}  // namespace

std::vector<std::string> LibraryDirectories(const Snapshot& snapshot, FileView& view) {
  if (snapshot.windows() != nullptr) return WindowsLibraryDirectories(snapshot, view);
  DirectorySet directories(view);
  const std::string home = base::ValueOf(snapshot.environment, "HOME");
  for (const std::string& element :
       base::SplitWords(base::ValueOf(snapshot.environment, "LD_LIBRARY_PATH"), ":;")) {
    for (const std::string& meant : CorrectListEntry(view, home, element).directories) directories.Add(meant);
  }
  if (snapshot.ld_cache) {
    std::string_view last;
    for (const auto& entry : snapshot.ld_cache->entries) {
      const std::string_view directory = base::DirName(entry.path);
      if (directory != last) directories.Add(directory);
      last = directory;
    }
  }
  if (snapshot.ld_so_conf) {
    for (const std::string& directory : *snapshot.ld_so_conf) directories.Add(directory);
  }
  for (const auto& loader : snapshot.loaders) {
    for (const std::string& directory : loader.system_dirs) directories.Add(directory);
  }
  for (const std::string_view pattern : knowledge::UsualDirectories())
    directories.AddPattern(std::string(pattern));
  for (const char* pattern : {"/opt/*/lib", "/opt/*/lib64", "/usr/local/*/lib", "/usr/local/*/lib64"}) {
    directories.AddPattern(pattern);
  }
  for (const std::string& pattern : PythonPatterns(snapshot, view)) {
    for (const std::string& site : ExpandPattern(view, pattern)) {
      if (site.ends_with("/lib")) directories.Add(site);
      if (view.Directory(site) != base::PathError::kNone || site.ends_with("/lib")) continue;
      for (const std::string_view below : knowledge::UsualPythonDirectories()) {
        directories.AddPattern(base::JoinPath(site, below));
      }
    }
  }
  AddCollected(snapshot, view, directories);
  return directories.Take();
}

std::vector<LibraryCopy> FindCopies(const std::vector<std::string>& directories, FileView& view,
                                    std::string_view name) {
  std::vector<LibraryCopy> copies;
  for (const std::string& directory : directories) {
    const auto items = view.List(directory);
    if (!items) continue;
    for (const auto& item : *items) {
      if (!Carries(item.name, name)) continue;
      const std::string path = base::JoinPath(directory, item.name);
      const auto& facts = view.Open(path);
      if (facts.error != base::PathError::kNone || facts.kind != FileKind::kRegular) continue;
      const bool known =
          std::ranges::any_of(copies, [&](const LibraryCopy& copy) { return copy.id == facts.id; });
      if (!known) copies.push_back({path, view.RealPath(path), facts.id});
    }
  }
  return copies;
}

base::LoadOutcome OutcomeOfFile(const snapshot::FileFacts& file) {
  switch (file.error) {
    case base::PathError::kNone:
      break;
    case base::PathError::kNoEntry:
      return file.dangling ? base::LoadOutcome::kDanglingLink : base::LoadOutcome::kMissing;
    case base::PathError::kAccess:
      return base::LoadOutcome::kNotReadable;
    case base::PathError::kNotDirectory:
      return base::LoadOutcome::kNotADirectory;
    case base::PathError::kNotRecorded:
      return base::LoadOutcome::kNotRecorded;
    default:
      return base::LoadOutcome::kMissing;
  }
  if (file.kind == snapshot::FileKind::kDirectory) return base::LoadOutcome::kIsDirectory;
  if (file.elf == nullptr) return base::LoadOutcome::kUnusable;
  switch (file.elf->problem) {
    case binfmt::ElfProblem::kNone:
      return file.elf->complete() ? base::LoadOutcome::kFound : base::LoadOutcome::kTruncated;
    case binfmt::ElfProblem::kTooShort:
      return file.size == 0 ? base::LoadOutcome::kEmptyFile : base::LoadOutcome::kTooShort;
    case binfmt::ElfProblem::kNotElf:
      return base::LoadOutcome::kNotElf;
    default:
      return base::LoadOutcome::kBadHeader;
  }
}

}  // namespace culprit::loader
