// The file system calls of Linux. What is to be opened is looked at first and again once it is open, since it
// may have been replaced in between; O_NONBLOCK and O_NOCTTY make that one wrong opening harmless.
#include "system/host_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <tuple>

#include "base/text.h"
#include "system/linux/descriptor.h"

namespace culprit::system {
namespace {

constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

std::unexpected<PathError> Errno() { return std::unexpected(base::PathErrorFromErrno(errno)); }

FileType TypeOf(mode_t mode) {
  if (S_ISREG(mode)) return FileType::kRegular;
  if (S_ISDIR(mode)) return FileType::kDirectory;
  return S_ISLNK(mode) ? FileType::kLink : FileType::kOther;
}

FileStatus StatusOf(const struct stat& found) {
  return {.type = TypeOf(found.st_mode),
          .size = static_cast<uint64_t>(found.st_size),
          .device = found.st_dev,
          .inode = found.st_ino,
          .mode = found.st_mode & 07777u,
          .group = found.st_gid};
}

Outcome<Descriptor> OpenAt(int directory, const char* path, int flags) {
  int number = -1;
  do {
    number = openat(directory, path, flags);
  } while (number < 0 && errno == EINTR);
  if (number < 0) return Errno();
  return Descriptor(number);
}

class DescriptorSource final : public base::ByteSource {
 public:
  DescriptorSource(Descriptor descriptor, uint64_t size, std::string path)
      : descriptor_(std::move(descriptor)), size_(size), path_(std::move(path)) {}
  uint64_t size() const override { return size_; }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override;

 private:
  Descriptor descriptor_;
  uint64_t size_;
  std::string path_;
};

base::Result<size_t> DescriptorSource::ReadAt(uint64_t offset, std::span<std::byte> out) const {
  constexpr uint64_t kLastOffset = std::numeric_limits<off_t>::max();
  size_t done = 0;
  while (done < out.size() && offset <= kLastOffset - done) {
    const ssize_t n =
        pread(descriptor_.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n == 0) break;
    if (n > 0) {
      done += static_cast<size_t>(n);
      // Less than there was room for, and as much as the file said it has: no need to ask for its end.
      if (offset + done == size_) break;
    } else if (errno != EINTR) {
      return base::Fail(base::ErrorCode::kNotReadable, base::Printable(path_) + ": " + std::strerror(errno));
    }
  }
  return done;
}

Outcome<FileStatus> StatusAt(int directory, const char* path, int flags) {
  struct stat found;
  if (fstatat(directory, path, &found, flags) != 0) return Errno();
  return StatusOf(found);
}

FileType EntryType(int directory, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return FileType::kRegular;
    case DT_DIR:
      return FileType::kDirectory;
    case DT_LNK:
      return FileType::kLink;
    case DT_UNKNOWN: {  // some file systems do not say
      const Outcome<FileStatus> status = StatusAt(directory, entry.d_name, AT_SYMLINK_NOFOLLOW);
      return status ? status->type : FileType::kOther;
    }
    default:
      return FileType::kOther;
  }
}

}  // namespace

struct HostFiles::Directory {
  Descriptor descriptor;
  static int Of(const std::shared_ptr<const Directory>& directory) {
    return directory ? directory->descriptor.get() : AT_FDCWD;
  }
};

namespace {

// "/a/b" of a tree is "a/b" from its directory on, so that the tree's own depth does not count to PATH_MAX.
const char* PathOf(int at, const std::string& path) {
  if (at == AT_FDCWD) return path.c_str();
  return path == "/" ? "." : path.c_str() + 1;
}

}  // namespace

Outcome<HostFiles> HostFiles::Below(const std::string& directory) {
  if (directory.find('\0') != directory.npos) return std::unexpected(PathError::kOther);
  Outcome<Descriptor> root = OpenAt(AT_FDCWD, directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (!root) return std::unexpected(root.error());
  // O_PATH asks for no permission; to look at "." asks for that of searching.
  if (const auto status = StatusAt(root->get(), ".", 0); !status) return std::unexpected(status.error());
  return HostFiles(std::make_shared<const Directory>(std::move(*root)));
}

Outcome<FileStatus> HostFiles::Status(const std::string& path, LastLink last) const {
  if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
  const int at = Directory::Of(directory_);
  return StatusAt(at, PathOf(at, path), last == LastLink::kKeep ? AT_SYMLINK_NOFOLLOW : 0);
}

Outcome<OpenFile> HostFiles::Open(const std::string& path, LastLink last) const {
  const Outcome<FileStatus> before = Status(path, last);
  if (!before) return std::unexpected(before.error());
  const int at = Directory::Of(directory_);
  const char* const host_path = PathOf(at, path);
  if (before->type == FileType::kLink) return std::unexpected(PathError::kLoop);
  if (before->type == FileType::kOther) {
    if (faccessat(at, host_path, R_OK, AT_EACCESS) != 0) return Errno();
    return OpenFile{*before, nullptr};
  }
  Outcome<Descriptor> file = OpenAt(at, host_path, kOpenFlags | (last == LastLink::kKeep ? O_NOFOLLOW : 0));
  if (!file) return std::unexpected(file.error());
  struct stat now;
  if (fstat(file->get(), &now) != 0) return Errno();
  const FileStatus status = StatusOf(now);
  if (status.type != FileType::kRegular) return OpenFile{status, nullptr};
  return OpenFile{status, std::make_unique<DescriptorSource>(std::move(*file), status.size, path)};
}

Outcome<std::string> HostFiles::ReadLink(const std::string& path) const {
  if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
  const int at = Directory::Of(directory_);
  std::string target(256, '\0');
  while (true) {
    const ssize_t n = readlinkat(at, PathOf(at, path), target.data(), target.size());
    if (n < 0) return Errno();
    if (static_cast<size_t>(n) < target.size()) {
      target.resize(static_cast<size_t>(n));
      return target;
    }
    target.resize(target.size() * 2);
  }
}

Outcome<void> HostFiles::Access(const std::string& path, Rights rights, LastLink last) const {
  if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
  const int wanted = rights == Rights::kRead ? R_OK : R_OK | W_OK;
  const int flags = AT_EACCESS | (last == LastLink::kKeep ? AT_SYMLINK_NOFOLLOW : 0);
  const int at = Directory::Of(directory_);
  if (faccessat(at, PathOf(at, path), wanted, flags) != 0) return Errno();
  return {};
}

Outcome<std::vector<DirectoryEntry>> HostFiles::List(const std::string& path, LastLink last) const {
  if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
  const int at = Directory::Of(directory_);
  Outcome<Descriptor> opened =
      OpenAt(at, PathOf(at, path), kOpenFlags | O_DIRECTORY | (last == LastLink::kKeep ? O_NOFOLLOW : 0));
  if (!opened) return std::unexpected(opened.error());
  const int number = opened->get();
  const std::unique_ptr<DIR, decltype([](DIR* open) { closedir(open); })> directory(fdopendir(number));
  if (!directory) return Errno();
  std::ignore = opened->Release();  // closedir() closes it
  std::vector<DirectoryEntry> entries;
  while (true) {
    errno = 0;
    const dirent* const entry = readdir(directory.get());
    if (entry == nullptr && errno != 0) return Errno();
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    entries.push_back({std::string(name), EntryType(number, *entry)});
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

}  // namespace culprit::system
