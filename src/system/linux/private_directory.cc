// mkdtemp() makes the directory 0700 in one step. A lock on it says that its maker lives: the kernel gives
// the lock up with the process, however it ends, so the next run finds and removes what a killed one left. A
// memfd would leave nothing behind, but cannot take the place of these files: LD_AUDIT and the journal are
// opened by path in every process that the program starts, and /proc/self/fd/N is another file in each of
// them.
#include "system/private_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "system/linux/descriptor.h"
#include "system/linux/uninterrupted.h"

namespace culprit::system {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBeginning = "culprit.";
constexpr std::string_view kRandom = "XXXXXX";
constexpr int kMostSwept = 20000;  // of a directory that is swept
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool IsThere(const fs::path& path, int fd) {
  struct stat by_path = {}, by_fd = {};
  return lstat(path.c_str(), &by_path) == 0 && fstat(fd, &by_fd) == 0 && by_path.st_dev == by_fd.st_dev &&
         by_path.st_ino == by_fd.st_ino;
}

// The lock of a directory of this user whose maker is gone; none otherwise. Where locks do not work, nothing
// is removed.
Descriptor LockLeftover(int above, const char* name) {
  Descriptor directory(openat(above, name, kDirectoryFlags));
  struct stat status = {};
  if (!directory || fstat(directory.get(), &status) != 0 || status.st_uid != geteuid() ||
      flock(directory.get(), LOCK_EX | LOCK_NB) != 0)
    return Descriptor();
  return directory;
}

// "" of a process that is another user's, or gone: a stream would throw then.
std::string EnvironmentOf(const fs::path& process) {
  const Descriptor file(open((process / "environ").c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char piece[1 << 14];
  while (file) {
    const ssize_t got = Uninterrupted([&] { return read(file.get(), piece, sizeof(piece)); });
    if (got <= 0) break;
    text.append(piece, static_cast<size_t>(got));
  }
  return text;
}

// Whether the environment of a process names one of them: a program in the background may start another,
// whose loader would complain if the audit library were gone.
std::vector<bool> Needed(const std::vector<fs::path>& directories) {
  std::vector<bool> needed(directories.size());
  std::error_code error;
  for (fs::directory_iterator process("/proc", error), end; !error && process != end;
       process.increment(error)) {
    const std::string id = process->path().filename().string();
    if (id.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string variables = EnvironmentOf(process->path());
    for (size_t i = 0; i < directories.size(); ++i)
      needed[i] = needed[i] || variables.find(directories[i].string() + "/") != std::string::npos;
  }
  if (error) needed.assign(directories.size(), true);
  return needed;
}

}  // namespace

base::Result<PrivateDirectory> MakePrivateDirectory(const fs::path& above) {
  for (int attempt = 0; attempt < 16; ++attempt) {
    std::string path = (above / (std::string(kBeginning) + std::string(kRandom))).string();
    if (mkdtemp(path.data()) == nullptr) break;
    auto directory = std::make_shared<const Descriptor>(open(path.c_str(), kDirectoryFlags));
    if (!*directory) break;
    const bool taken = flock(directory->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    // Another culprit may have swept it before it was locked.
    if (!taken && IsThere(path, directory->get())) return PrivateDirectory{path, std::move(directory)};
  }
  return base::Fail(base::ErrorCode::kNotReadable,
                    "no directory for temporary files: " + above.string() + ": " + Words(errno));
}

bool IsSafePlace(const fs::path& above) {
  struct stat top = {};  // its owner can do everything, whoever that is in a container
  if (stat("/", &top) != 0) return false;
  std::error_code error;
  for (fs::path path = fs::canonical(above, error); !error && !path.empty(); path = path.parent_path()) {
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) return false;
    const bool ours = status.st_uid == 0 || status.st_uid == geteuid() || status.st_uid == top.st_uid;
    const bool others_write = (status.st_mode & 022) != 0 && (status.st_mode & S_ISVTX) == 0;
    if (!ours || others_write) return false;
    if (path == path.parent_path()) return true;
  }
  return false;
}

bool WriteNewFile(const fs::path& file, std::string_view text) {
  const Descriptor out(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  while (out && !text.empty()) {
    const ssize_t put = write(out.get(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<size_t>(put));
  }
  return static_cast<bool>(out);
}

void SweepLeftovers(const fs::path& above) {
  const int fd = open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  const std::unique_ptr<DIR, decltype([](DIR* opened) { closedir(opened); })> entries(fdopendir(fd));
  if (!entries) {
    close(fd);
    return;
  }
  std::vector<fs::path> left;
  std::vector<Descriptor> locks;
  for (int i = 0; i < kMostSwept; ++i) {
    const dirent* entry = readdir(entries.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (!name.starts_with(kBeginning) || name.size() != kBeginning.size() + kRandom.size()) continue;
    if (Descriptor lock = LockLeftover(fd, entry->d_name)) {
      left.push_back(above / name);
      locks.push_back(std::move(lock));
    }
  }
  if (left.empty()) return;
  const std::vector<bool> needed = Needed(left);
  std::error_code ignored;
  for (size_t i = 0; i < left.size(); ++i) {
    if (!needed[i]) fs::remove_all(left[i], ignored);  // symlinks are removed, not followed
  }
}

}  // namespace culprit::system
