// Files of the machine that culprit runs on, below its root or below one directory. All file system calls are
// here; the implementation is chosen by platform. Nothing is opened for writing, and only regular files and
// directories are opened at all: opening a FIFO can block, and opening a device can act on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "system/path_walk.h"
#include "system/system.h"

namespace culprit::system {

class HostFiles {
 public:
  // The whole machine.
  HostFiles() = default;
  // What is below `directory`, a path as the user typed it. Linux keeps it open, so it may be renamed
  // meanwhile. `resolve` is for tests: who follows links there.
  enum class Resolve { kByKernel, kByWalk };
  static Outcome<HostFiles> Below(const std::string& directory, Resolve resolve = Resolve::kByKernel);

  // Whether links below a directory never lead out of it, whatever changes meanwhile. If not (Windows), the
  // path must be one without links, and `last` be kKeep.
  static bool KeepsBelow();

  // As in System.
  Outcome<OpenFile> Open(const std::string& path, LastLink last) const;
  Outcome<OpenFile> OpenRegular(const std::string& path) const;
  Outcome<FileStatus> Status(const std::string& path, LastLink last) const;
  Outcome<std::string> ReadLink(const std::string& path) const;
  Outcome<std::vector<DirectoryEntry>> List(const std::string& path, LastLink last) const;
  Outcome<void> Access(const std::string& path, Rights rights, LastLink last) const;

 private:
  Outcome<OpenFile> OpenSeen(const std::string& path, LastLink last) const;

  struct Directory;  // as the platform keeps one
  explicit HostFiles(std::shared_ptr<const Directory> directory) : directory_(std::move(directory)) {}
  std::shared_ptr<const Directory> directory_;  // null = the whole machine
};

// A directory of the machine as a system: RootedSystem, once the directory is open.
std::unique_ptr<System> SystemBelow(HostFiles files);

}  // namespace culprit::system
