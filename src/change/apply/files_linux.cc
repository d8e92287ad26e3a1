// Bare system calls below an open directory (openat and its kin), because a path can become another file
// between two calls.
#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <span>
#include <system_error>

#include "base/bytes/sha256.h"
#include "base/json.h"
#include "base/text.h"
#include "change/apply/files.h"

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE (1 << 1)
#endif

namespace culprit::apply {
namespace {

using base::ErrorCode;
using base::Fail;
constexpr int kLinkLimit = 40;  // as the kernel's
constexpr size_t kPiece = 1 << 16;

std::string Words(int error) { return std::generic_category().message(error); }

Standing FromStat(const struct stat& status) {
  Standing standing;
  const auto type = status.st_mode & S_IFMT;
  standing.kind = type == S_IFREG   ? Standing::Kind::kFile
                  : type == S_IFDIR ? Standing::Kind::kDirectory
                  : type == S_IFLNK ? Standing::Kind::kLink
                                    : Standing::Kind::kSpecial;
  standing.mode = status.st_mode & 07777;
  standing.user = status.st_uid;
  standing.group = status.st_gid;
  standing.seconds = status.st_mtim.tv_sec;
  standing.nanoseconds = status.st_mtim.tv_nsec;
  standing.device = status.st_dev;
  standing.inode = status.st_ino;
  standing.size = static_cast<uint64_t>(status.st_size);
  return standing;
}

base::Result<std::string> ReadTarget(int directory, const std::string& name) {
  std::string target(4096, '\0');
  const ssize_t size = readlinkat(directory, name.c_str(), target.data(), target.size());
  if (size < 0) return FailedAt(name, errno);
  target.resize(static_cast<size_t>(size));
  return target;
}

base::Result<void> WriteAll(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FailedAt(name, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

// A regular file to read from, not through a link and without waiting for anybody.
base::Result<Descriptor> OpenFile(int directory, const std::string& name) {
  Descriptor file(openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status = {};
  if (!file || fstat(file.get(), &status) != 0) return FailedAt(name, errno);
  if (!S_ISREG(status.st_mode)) return Fail(ErrorCode::kUnsupported, name + ": not a regular file");
  return file;
}

base::Result<void> ForEachPiece(int fd, const std::string& name,
                                const std::function<base::Result<void>(std::string_view)>& take) {
  std::string piece(kPiece, '\0');
  while (true) {
    const ssize_t size = read(fd, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return FailedAt(name, errno);
    if (size == 0) return {};
    if (auto taken = take(std::string_view(piece).substr(0, static_cast<size_t>(size))); !taken) return taken;
  }
}

// Owner, mode and the bytes on disk. The owner first: changing it takes set-id bits away.
base::Result<void> Settle(int fd, const std::string& name, const Standing& like) {
  struct stat status = {};
  if (fstat(fd, &status) != 0) return FailedAt(name, errno);
  if ((status.st_uid != like.user || status.st_gid != like.group) && fchown(fd, like.user, like.group) != 0)
    return FailedAt(name, errno);
  if (fchmod(fd, like.mode) != 0) return FailedAt(name, errno);
  if (fsync(fd) != 0) return FailedAt(name, errno);
  return {};
}

base::Result<Descriptor> CreateFile(int directory, const std::string& name) {
  Descriptor file(
      openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return FailedAt(name, errno);
  return file;
}

// Follows `parts` from the root. The stack is for "..", which must not lead out.
base::Result<Descriptor> Walk(const std::string& root, std::deque<std::string> parts,
                              const std::string& path) {
  std::vector<Descriptor> stack;
  stack.emplace_back(open(root.empty() ? "/" : root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!stack.back()) return FailedAt(root, errno);
  int links = 0;
  while (!parts.empty()) {
    const std::string part = std::move(parts.front());
    parts.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (stack.size() > 1) stack.pop_back();
      continue;
    }
    const int here = stack.back().get();
    Descriptor next(openat(here, part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next && errno == EACCES)  // may be passed through, though not listed
      next = Descriptor(openat(here, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (next) {
      stack.push_back(std::move(next));
      continue;
    }
    const int error = errno;
    const auto target = ReadTarget(here, part);
    if (!target) return FailedAt(path, error);
    if (++links > kLinkLimit) return FailedAt(path, ELOOP);
    if (target->starts_with('/')) stack.erase(stack.begin() + 1, stack.end());
    const auto more = base::Split(*target, '/');
    parts.insert(parts.begin(), more.begin(), more.end());
  }
  return std::move(stack.back());
}

}  // namespace

std::unexpected<base::Error> FailedAt(const std::string& path, int error) {
  return Fail(error == ENOENT || error == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kNotReadable,
              path + ": " + Words(error));
}

base::Result<Spot> FindSpot(const std::string& root, const std::string& path) {
  const auto split = base::SplitWords(path, "/");
  std::deque<std::string> parts(split.begin(), split.end());
  if (!path.starts_with('/') || path.find('\0') != std::string::npos || parts.empty() ||
      parts.back() == "." || parts.back() == "..")
    return Fail(ErrorCode::kUnsupported, path + ": not a file path");
  std::string name = std::move(parts.back());
  parts.pop_back();
  auto directory = Walk(root, std::move(parts), path);
  if (!directory) return std::unexpected(directory.error());
  return Spot{std::move(*directory), std::move(name), path};
}

base::Result<Descriptor> OpenDirectory(const std::string& root, const std::string& path) {
  const auto split = base::SplitWords(path, "/");
  return Walk(root, {split.begin(), split.end()}, path);
}

base::Result<Standing> LookAt(int directory, const std::string& name) {
  struct stat status = {};
  if (fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return Standing{};
    return FailedAt(name, errno);
  }
  Standing standing = FromStat(status);
  if (standing.kind == Standing::Kind::kLink) {
    auto target = ReadTarget(directory, name);
    if (!target) return std::unexpected(target.error());
    standing.target = std::move(*target);
  }
  return standing;
}

base::Json ToJson(const Standing& standing) {
  static constexpr const char* kKinds[] = {"absent", "file", "link", "directory", "special"};
  if (standing.kind == Standing::Kind::kAbsent) return {{"kind", "absent"}};
  base::Json json = {{"kind", kKinds[static_cast<int>(standing.kind)]},
                     {"mode", standing.mode},
                     {"user", standing.user},
                     {"group", standing.group},
                     {"seconds", standing.seconds},
                     {"nanoseconds", standing.nanoseconds},
                     {"device", standing.device},
                     {"inode", standing.inode},
                     {"size", standing.size}};
  if (!standing.target.empty()) json["target"] = standing.target;
  if (!standing.hash.empty()) json["hash"] = standing.hash;
  return json;
}

Standing StandingFromJson(const base::Json& json) {
  Standing standing;
  const std::string kind = json.at("kind");
  if (kind == "absent") return standing;
  standing.kind = kind == "file"        ? Standing::Kind::kFile
                  : kind == "link"      ? Standing::Kind::kLink
                  : kind == "directory" ? Standing::Kind::kDirectory
                                        : Standing::Kind::kSpecial;
  standing.mode = json.at("mode");
  standing.user = json.at("user");
  standing.group = json.at("group");
  standing.seconds = json.at("seconds");
  standing.nanoseconds = json.at("nanoseconds");
  standing.device = json.at("device");
  standing.inode = json.at("inode");
  standing.size = json.at("size");
  standing.target = json.value("target", "");
  standing.hash = json.value("hash", "");
  return standing;
}

bool Same(const Standing& recorded, int directory, const std::string& name) {
  const auto now = LookAt(directory, name);
  if (!now || now->kind != recorded.kind) return false;
  switch (recorded.kind) {
    case Standing::Kind::kAbsent:
      return true;
    case Standing::Kind::kLink:
      return now->target == recorded.target;
    case Standing::Kind::kDirectory:
      return now->device == recorded.device && now->inode == recorded.inode;
    case Standing::Kind::kSpecial:
      return false;
    case Standing::Kind::kFile:
      break;
  }
  if (now->size != recorded.size || now->mode != recorded.mode) return false;
  if (now->device == recorded.device && now->inode == recorded.inode && now->seconds == recorded.seconds &&
      now->nanoseconds == recorded.nanoseconds)
    return true;
  if (recorded.hash.empty()) return false;
  const auto hash = HashOfFile(directory, name);
  return hash && *hash == recorded.hash;
}

base::Result<std::string> ReadBytes(int directory, const std::string& name, uint64_t limit) {
  const auto file = OpenFile(directory, name);
  if (!file) return std::unexpected(file.error());
  std::string bytes;
  auto read = ForEachPiece(file->get(), name, [&](std::string_view piece) -> base::Result<void> {
    bytes += piece;
    if (bytes.size() > limit) return Fail(ErrorCode::kTooLarge, name + ": too large");
    return {};
  });
  if (!read) return std::unexpected(read.error());
  return bytes;
}

std::string HashOf(const std::string& bytes) {
  base::Sha256 hash;
  hash.Add(std::as_bytes(std::span(bytes)));
  return hash.UrlSafeBase64();
}

base::Result<std::string> HashOfFile(int directory, const std::string& name) {
  const auto file = OpenFile(directory, name);
  if (!file) return std::unexpected(file.error());
  base::Sha256 hash;
  auto read = ForEachPiece(file->get(), name, [&](std::string_view piece) -> base::Result<void> {
    hash.Add(std::as_bytes(std::span(piece)));
    return {};
  });
  if (!read) return std::unexpected(read.error());
  return hash.UrlSafeBase64();
}

base::Result<void> WriteNew(int directory, const std::string& name, const std::string& bytes,
                            const Standing& like) {
  const auto file = CreateFile(directory, name);
  if (!file) return std::unexpected(file.error());
  if (auto written = WriteAll(file->get(), bytes, name); !written) return written;
  return Settle(file->get(), name, like);
}

base::Result<void> LinkNew(int directory, const std::string& name, const Standing& like) {
  if (symlinkat(like.target.c_str(), directory, name.c_str()) != 0) return FailedAt(name, errno);
  if (like.inode == 0) return {};  // a new one: it belongs to who makes it
  struct stat status = {};
  if (fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return FailedAt(name, errno);
  if ((status.st_uid != like.user || status.st_gid != like.group) &&
      fchownat(directory, name.c_str(), like.user, like.group, AT_SYMLINK_NOFOLLOW) != 0)
    return FailedAt(name, errno);
  return {};
}

base::Result<void> CopyNew(int from, const std::string& old_name, int to, const std::string& name,
                           const Standing& like, std::string& hash) {
  const auto source = OpenFile(from, old_name);
  if (!source) return std::unexpected(source.error());
  const auto file = CreateFile(to, name);
  if (!file) return std::unexpected(file.error());
  base::Sha256 sum;
  auto copied = ForEachPiece(source->get(), old_name, [&](std::string_view piece) {
    sum.Add(std::as_bytes(std::span(piece)));
    return WriteAll(file->get(), piece, name);
  });
  if (!copied) return copied;
  hash = sum.UrlSafeBase64();
  return Settle(file->get(), name, like);
}

base::Result<void> GiveTimes(int directory, const std::string& name, const Standing& like) {
  const timespec times[2] = {{0, UTIME_OMIT}, {like.seconds, like.nanoseconds}};
  if (utimensat(directory, name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) return FailedAt(name, errno);
  return {};
}

base::Result<void> Exchange(int directory, const std::string& one, const std::string& other) {
  if (syscall(SYS_renameat2, directory, one.c_str(), directory, other.c_str(), RENAME_EXCHANGE) == 0)
    return {};
  if (errno == EINVAL || errno == ENOSYS)
    return Fail(ErrorCode::kUnsupported, "this file system cannot exchange two directories");
  return FailedAt(one, errno);
}

base::Result<void> Rename(int directory, const std::string& from, const std::string& to) {
  if (renameat(directory, from.c_str(), directory, to.c_str()) != 0) return FailedAt(from, errno);
  return {};
}

base::Result<void> ToDisk(int directory) {
  if (fsync(directory) != 0 && errno != EINVAL && errno != EBADF && errno != EROFS)
    return FailedAt("a directory", errno);
  return {};
}

base::Result<void> RemoveAll(int directory, const std::string& name) {
  if (unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) return FailedAt(name, errno);
  const Descriptor below(openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!below) return FailedAt(name, errno);
  const auto names = NamesIn(below.get());
  if (!names) return std::unexpected(names.error());
  for (const std::string& each : *names) {
    if (auto removed = RemoveAll(below.get(), each); !removed) return removed;
  }
  if (unlinkat(directory, name.c_str(), AT_REMOVEDIR) != 0) return FailedAt(name, errno);
  return {};
}

base::Result<std::vector<std::string>> NamesIn(int directory) {
  const int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* list = own < 0 ? nullptr : fdopendir(own);
  if (list == nullptr) {
    const int error = errno;
    if (own >= 0) close(own);
    return FailedAt("a directory", error);
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(list)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(list);
  std::ranges::sort(names);
  return names;
}

Writable MayChange(const Spot& spot) {
  if (faccessat(spot.directory.get(), ".", W_OK | X_OK, AT_EACCESS) == 0) return Writable::kYes;
  return errno == EROFS ? Writable::kReadOnly : Writable::kNeedsRoot;
}

}  // namespace culprit::apply
