#include "system/linux/tree.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <vector>

#include "system/linux/uninterrupted.h"
#include "system/path_walk.h"

namespace culprit::system {
namespace {

constexpr int kMostLinksInAPath = 40;  // MAXSYMLINKS

std::unexpected<PathError> ErrnoOfTree() { return std::unexpected(base::PathErrorFromErrno(errno)); }

// -1 and ENOSYS when the kernel has no such call, or a sandbox forbids it.
int OpenInRoot(int root, const char* path, int flags) {
  static std::atomic<bool> missing = false;
  open_how how{};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  constexpr int kMostRaces = 100;
  for (int races = 0; !missing && races < kMostRaces;) {
    const long number = syscall(SYS_openat2, root, path, &how, sizeof how);
    if (number >= 0) return static_cast<int>(number);
    if (errno == EAGAIN) ++races;  // somebody renames what ".." goes through
    if (errno == ENOSYS || errno == EPERM || errno == E2BIG) missing = true;
    if (errno != EINTR && errno != EAGAIN && !missing) return -1;
  }
  errno = ENOSYS;
  return -1;
}

}  // namespace

Outcome<Descriptor> OpenAt(int directory, const char* path, int flags) {
  const int number = Uninterrupted([&] { return openat(directory, path, flags); });
  if (number < 0) return ErrnoOfTree();
  return Descriptor(number);
}

Outcome<std::string> ReadLinkAt(int directory, const char* path) {
  std::string target(256, '\0');
  while (true) {
    const ssize_t n = readlinkat(directory, path, target.data(), target.size());
    // What is open and no link is ENOENT there and EINVAL by name.
    if (n < 0 && errno == ENOENT && *path == '\0') return std::unexpected(PathError::kOther);
    if (n < 0) return ErrnoOfTree();
    if (static_cast<size_t>(n) < target.size()) {
      target.resize(static_cast<size_t>(n));
      return target;
    }
    target.resize(target.size() * 2);
  }
}

Outcome<Descriptor> Tree::Open(const std::string& path, int flags) const {
  if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
  if (resolve_ == HostFiles::Resolve::kByKernel) {
    const int number = OpenInRoot(root_.get(), path.c_str(), flags | O_CLOEXEC);
    if (number >= 0) return Descriptor(number);
    if (errno != ENOSYS) return ErrnoOfTree();
  }
  return Walk(path, flags | O_CLOEXEC);
}

Outcome<Descriptor> Tree::Walk(const std::string& path, int flags) const {
  std::vector<std::string> pending;
  PrependComponents(path, pending);
  std::vector<Descriptor> above;  // the directories on the way; ".." goes back through them
  int links = 0;
  while (!pending.empty()) {
    const std::string name = std::move(pending.back());
    pending.pop_back();
    if (name == "..") {
      if (!above.empty()) above.pop_back();
      continue;
    }
    const int at = above.empty() ? root_.get() : above.back().get();
    Outcome<Descriptor> node = OpenAt(at, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (!node) return node;
    struct stat found;
    if (fstat(node->get(), &found) != 0) return ErrnoOfTree();
    if (S_ISLNK(found.st_mode) && (!pending.empty() || (flags & O_NOFOLLOW) == 0)) {
      if (++links > kMostLinksInAPath) return std::unexpected(PathError::kLoop);
      const Outcome<std::string> target = ReadLinkAt(node->get(), "");
      if (!target) return std::unexpected(target.error());
      if (target->empty()) return std::unexpected(PathError::kNoEntry);
      if (target->front() == '/') above.clear();
      PrependComponents(*target, pending);
      continue;
    }
    if (pending.empty()) return OpenAt(at, name.c_str(), flags | O_NOFOLLOW);
    if (!S_ISDIR(found.st_mode)) return std::unexpected(PathError::kNotDirectory);
    if (name != ".") above.push_back(std::move(*node));
  }
  return OpenAt(above.empty() ? root_.get() : above.back().get(), ".", flags);
}

}  // namespace culprit::system
