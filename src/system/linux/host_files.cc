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
#include "system/linux/tree.h"

namespace culprit::system {
namespace {

constexpr int kOpenFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;

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

int NoFollow(LastLink last) { return last == LastLink::kKeep ? O_NOFOLLOW : 0; }

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
  Tree tree;

  // Below `directory`, or anywhere on the machine when it is null.
  static Outcome<Descriptor> Open(const std::shared_ptr<const Directory>& directory, const std::string& path,
                                  int flags) {
    if (directory) return directory->tree.Open(path, flags);
    if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
    return OpenAt(AT_FDCWD, path.c_str(), flags | O_CLOEXEC);
  }
};

bool HostFiles::KeepsBelow() { return true; }

Outcome<HostFiles> HostFiles::Below(const std::string& directory, Resolve resolve) {
  if (directory.find('\0') != directory.npos) return std::unexpected(PathError::kOther);
  Outcome<Descriptor> root = OpenAt(AT_FDCWD, directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (!root) return std::unexpected(root.error());
  // O_PATH asks for no permission; to look at "." asks for that of searching.
  if (const auto status = StatusAt(root->get(), ".", 0); !status) return std::unexpected(status.error());
  return HostFiles(std::make_shared<const Directory>(Tree(std::move(*root), resolve)));
}

Outcome<FileStatus> HostFiles::Status(const std::string& path, LastLink last) const {
  if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
  if (!directory_) return StatusAt(AT_FDCWD, path.c_str(), last == LastLink::kKeep ? AT_SYMLINK_NOFOLLOW : 0);
  const Outcome<Descriptor> found = directory_->tree.Open(path, O_PATH | NoFollow(last));
  if (!found) return std::unexpected(found.error());
  return StatusAt(found->get(), "", AT_EMPTY_PATH);
}

Outcome<OpenFile> HostFiles::Open(const std::string& path, LastLink last) const {
  const Outcome<FileStatus> before = Status(path, last);
  if (!before) return std::unexpected(before.error());
  if (before->type == FileType::kLink) return std::unexpected(PathError::kLoop);
  if (before->type == FileType::kOther) {
    const Outcome<void> access = Access(path, Rights::kRead, last);
    if (!access) return std::unexpected(access.error());
    return OpenFile{*before, nullptr};
  }
  return OpenSeen(path, last);
}

Outcome<OpenFile> HostFiles::OpenRegular(const std::string& path) const {
  return OpenSeen(path, LastLink::kFollow);
}

Outcome<OpenFile> HostFiles::OpenSeen(const std::string& path, LastLink last) const {
  Outcome<Descriptor> file = Directory::Open(directory_, path, kOpenFlags | NoFollow(last));
  if (!file) return std::unexpected(file.error());
  const Outcome<FileStatus> now = StatusAt(file->get(), "", AT_EMPTY_PATH);
  if (!now) return std::unexpected(now.error());
  if (now->type != FileType::kRegular) return OpenFile{*now, nullptr};
  return OpenFile{*now, std::make_unique<DescriptorSource>(std::move(*file), now->size, path)};
}

Outcome<std::string> HostFiles::ReadLink(const std::string& path) const {
  if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
  if (!directory_) return ReadLinkAt(AT_FDCWD, path.c_str());
  const Outcome<Descriptor> link = directory_->tree.Open(path, O_PATH | O_NOFOLLOW);
  if (!link) return std::unexpected(link.error());
  return ReadLinkAt(link->get(), "");
}

Outcome<void> HostFiles::Access(const std::string& path, Rights rights, LastLink last) const {
  if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
  const int wanted = rights == Rights::kRead ? R_OK : R_OK | W_OK;
  if (!directory_) {
    const int flags = AT_EACCESS | (last == LastLink::kKeep ? AT_SYMLINK_NOFOLLOW : 0);
    if (faccessat(AT_FDCWD, path.c_str(), wanted, flags) != 0) return Errno();
    return {};
  }
  const Outcome<Descriptor> found = directory_->tree.Open(path, O_PATH | NoFollow(last));
  if (!found) return std::unexpected(found.error());
  if (faccessat(found->get(), "", wanted, AT_EACCESS | AT_EMPTY_PATH) == 0) return {};
  if (errno != EINVAL) return Errno();
  const std::string itself = "/proc/self/fd/" + std::to_string(found->get());  // Linux before 5.8
  if (faccessat(AT_FDCWD, itself.c_str(), wanted, AT_EACCESS) != 0) return Errno();
  return {};
}

Outcome<std::vector<DirectoryEntry>> HostFiles::List(const std::string& path, LastLink last) const {
  Outcome<Descriptor> opened = Directory::Open(directory_, path, kOpenFlags | O_DIRECTORY | NoFollow(last));
  if (!opened) return std::unexpected(opened.error());
  const int number = opened->get();
  const std::unique_ptr<DIR, decltype([](DIR* open) { closedir(open); })> directory(fdopendir(number));
  if (!directory) return Errno();
  std::ignore = opened->Release();  // closedir() closes it
  std::vector<DirectoryEntry> entries;
  while (entries.size() < kMostEntries) {
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
