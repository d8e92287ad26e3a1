// The only access to a machine: its files, its environment, its CPU. There are three implementations: the
// real machine, a directory used as "/" (--root), and one in memory for tests, which also logs every access.
// Nothing here executes foreign code or opens a file for writing.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes/byte_source.h"
#include "base/bytes/unread.h"
#include "base/cpu.h"
#include "base/path_error.h"
#include "base/platform.h"

namespace culprit::system {

using base::PathError;

enum class FileType { kRegular, kDirectory, kLink, kOther /* FIFO, socket, device */ };

struct FileStatus {
  FileType type = FileType::kOther;
  uint64_t size = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  uint32_t mode = 0;   // permission and set-id bits
  uint32_t group = 0;  // number of the group that owns it
};

// Entries of a directory that are read at most; what comes after them is left out.
inline constexpr size_t kMostEntries = 500'000;

// What the caller wants to do with a file.
enum class Rights { kRead, kReadAndWrite };

struct DirectoryEntry {
  std::string name;
  FileType type;  // of the entry itself, not of a symlink's target
};

template <typename T>
using Outcome = std::expected<T, PathError>;

// An open file and its fstat().
struct OpenFile {
  FileStatus status;
  std::unique_ptr<base::ByteSource> bytes;  // null unless it is a regular file
};

// One key of the Windows registry. Numbers are written in decimal, a list of texts with '\n' between them,
// variables (%SystemRoot%) are not expanded. Bytes without a form are in hexadecimal.
struct RegistryKey {
  std::map<std::string, std::string> values;  // by name as written; "" is the default value
  std::vector<std::string> keys;              // names of the keys below, sorted
};

class System {
 public:
  virtual ~System() = default;

  // All paths are absolute paths on the inspected machine (a relative path, or one with a NUL, is kOther).
  // Open, Stat, RealPath and List follow symlinks; errors are those of the Linux system call. Open never
  // blocks (a FIFO is reported as kOther) and respects the caller's permissions.
  virtual Outcome<OpenFile> Open(const std::string& path) const = 0;
  // The same where somebody has just seen that it is a regular file, which saves a look.
  virtual Outcome<OpenFile> OpenRegular(const std::string& path) const { return Open(path); }
  virtual Outcome<FileStatus> Stat(const std::string& path) const = 0;
  virtual Outcome<FileStatus> LinkStat(const std::string& path) const = 0;  // of a symlink itself
  virtual Outcome<std::string> ReadLink(const std::string& path) const = 0;
  virtual Outcome<std::string> RealPath(const std::string& path) const = 0;
  // Whether this process may open the file that way, by its effective ids; follows symlinks. The file is not
  // opened, since opening a device can act on it.
  virtual Outcome<void> Access(const std::string& path, Rights rights) const = 0;
  // Sorted by name, without "." and "..", at most kMostEntries.
  virtual Outcome<std::vector<DirectoryEntry>> List(const std::string& path) const = 0;

  // Variable names are case-insensitive on Windows; here they are in upper case.
  virtual std::map<std::string, std::string> Environment() const = 0;
  virtual std::string WorkingDirectory() const = 0;  // "" if it was removed
  virtual base::Cpu HostCpu() const = 0;

  virtual base::Platform platform() const { return base::Platform::kLinux; }
  // "HKLM/SYSTEM/CurrentControlSet/Control/Session Manager/KnownDLLs", letters of either case, as a 64-bit
  // program sees it. kNoEntry: there is no such key. kNotRecorded: a registry is out of reach here.
  virtual Outcome<RegistryKey> ReadRegistry(const std::string& key) const {
    static_cast<void>(key);
    return std::unexpected(PathError::kNotRecorded);
  }

  // Somebody read this and could not use it. Only a machine that takes notes (noted.h) keeps that.
  virtual void NoteUnread(const std::string& path, base::Unread why) const {
    static_cast<void>(path);
    static_cast<void>(why);
  }
};

// At most `limit` bytes of a regular file; a larger file is kOther, and noted.
Outcome<std::string> ReadWholeFile(const System& system, const std::string& path, uint64_t limit);

std::unique_ptr<System> RealSystem();
// `root` is a directory of the real machine. Symlinks never leave it: an absolute target starts at `root`,
// and
// ".." stops there. The environment is empty and the working directory is "/".
base::Result<std::unique_ptr<System>> RootedSystem(const std::string& root);
// `files` as drive C: of a Windows machine: "/C:/Windows" is its "/Windows", and names are case-insensitive.
// Any other drive is kNotRecorded. There is no registry.
std::unique_ptr<System> WindowsTree(std::unique_ptr<System> files);

}  // namespace culprit::system
