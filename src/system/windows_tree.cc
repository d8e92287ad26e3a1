// Any tree of files seen as drive C: of a Windows machine. Names of Windows have no case, those below may:
// each directory is listed once and its names are kept folded. The spelling that was asked for wins where it
// exists, so a tree that holds both "a.dll" and "A.dll" answers for each. Links are followed by the system
// below; a link whose text differs from the name in case alone dangles there.
#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "base/windows/path.h"
#include "system/path_walk.h"
#include "system/system.h"

namespace culprit::system {
namespace {

constexpr std::string_view kDrive = "/C:";

std::string Outside(const std::string& inner) {
  return inner == "/" ? std::string(kDrive) : std::string(kDrive) + inner;
}

// The names of one directory.
struct Names {
  std::set<std::string, std::less<>> exact;
  std::unordered_map<std::string, std::string> by_folded;  // the first of each in the order of the list
};

class DriveTree final : public System {
 public:
  explicit DriveTree(std::unique_ptr<System> files) : files_(std::move(files)) {}

  Outcome<OpenFile> Open(const std::string& path) const override {
    if (path == "/") return OpenFile{kTop, nullptr};
    const auto inner = Inside(path);
    return inner ? files_->Open(*inner) : std::unexpected(inner.error());
  }
  Outcome<FileStatus> Stat(const std::string& path) const override {
    if (path == "/") return kTop;
    const auto inner = Inside(path);
    return inner ? files_->Stat(*inner) : std::unexpected(inner.error());
  }
  Outcome<FileStatus> LinkStat(const std::string& path) const override {
    if (path == "/") return kTop;
    const auto inner = Inside(path);
    return inner ? files_->LinkStat(*inner) : std::unexpected(inner.error());
  }
  Outcome<std::string> ReadLink(const std::string& path) const override {
    if (path == "/") return std::unexpected(PathError::kOther);
    const auto inner = Inside(path);
    if (!inner) return std::unexpected(inner.error());
    auto target = files_->ReadLink(*inner);
    if (target && target->starts_with('/')) return Outside(*target);
    return target;
  }
  Outcome<std::string> RealPath(const std::string& path) const override {
    if (path == "/") return path;
    const auto inner = Inside(path);
    if (!inner) return std::unexpected(inner.error());
    const auto real = files_->RealPath(*inner);
    if (!real) return std::unexpected(real.error());
    return Outside(*real);
  }
  Outcome<void> Access(const std::string& path, Rights rights) const override {
    if (path == "/") return {};
    const auto inner = Inside(path);
    return inner ? files_->Access(*inner, rights) : std::unexpected(inner.error());
  }
  Outcome<std::vector<DirectoryEntry>> List(const std::string& path) const override {
    if (path == "/") return std::vector<DirectoryEntry>{{"C:", FileType::kDirectory}};
    const auto inner = Inside(path);
    return inner ? files_->List(*inner) : std::unexpected(inner.error());
  }

  std::map<std::string, std::string> Environment() const override { return {}; }
  std::string WorkingDirectory() const override { return std::string(kDrive); }
  base::Cpu HostCpu() const override { return {.machine = "x86_64"}; }
  base::Platform platform() const override { return base::Platform::kWindows; }

 private:
  // The directory of the drives.
  static constexpr FileStatus kTop{.type = FileType::kDirectory, .mode = 0555};

  // The path of `files_` that is meant. A name that is not there stays as it was asked for.
  Outcome<std::string> Inside(const std::string& path) const {
    if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
    if (!base::IsWindowsPath(path)) return std::unexpected(PathError::kNoEntry);
    const std::string clean = base::FromWindowsPath(path);
    if (!base::SameName(std::string_view(clean).substr(0, kDrive.size()), kDrive)) {
      return std::unexpected(PathError::kNotRecorded);
    }
    std::string at = "/";
    for (const std::string& name : base::SplitWords(std::string_view(clean).substr(kDrive.size()), "/")) {
      at = base::JoinPath(at, Spelled(at, name));
    }
    if (path.ends_with('/') && at != "/") at += '/';  // asks for a directory
    return at;
  }

  std::string Spelled(const std::string& directory, const std::string& name) const {
    const std::shared_ptr<const Names> names = NamesOf(directory);
    if (names->exact.contains(name)) return name;
    const auto found = names->by_folded.find(base::FoldCase(name));
    return found == names->by_folded.end() ? name : found->second;
  }

  // None of a directory that cannot be listed: exact spelling is tried there.
  std::shared_ptr<const Names> NamesOf(const std::string& directory) const {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = names_.find(directory); known != names_.end()) return known->second;
    }
    // Listed without the lock: a directory on a dead mount must not stop those who ask for another one.
    auto names = std::make_shared<Names>();
    if (const auto entries = files_->List(directory)) {
      for (const DirectoryEntry& entry : *entries) {
        names->exact.insert(entry.name);
        names->by_folded.emplace(base::FoldCase(entry.name), entry.name);
      }
    }
    const std::lock_guard lock(mutex_);
    return names_.emplace(directory, std::move(names)).first->second;
  }

  std::unique_ptr<System> files_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::shared_ptr<const Names>> names_;
};

}  // namespace

std::unique_ptr<System> WindowsTree(std::unique_ptr<System> files) {
  return std::make_unique<DriveTree>(std::move(files));
}

}  // namespace culprit::system
