// A program in memory (memfd) leaves nothing behind, whatever becomes of this one. Where the kernel or a
// policy forbids to start such a file, it is a private file in a temporary directory.
#include "system/own_program.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "base/text.h"

namespace culprit::system {
namespace {

bool WriteAll(int fd, std::span<const unsigned char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

// /proc/self is that of the child when it is started: RunChild leaves descriptors open until then.
class InMemory final : public TemporaryProgram {
 public:
  explicit InMemory(int fd) : fd_(fd) {}
  InMemory(const InMemory&) = delete;
  InMemory& operator=(const InMemory&) = delete;
  ~InMemory() override { close(fd_); }
  std::string path() const override { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

class InDirectory final : public TemporaryProgram {
 public:
  explicit InDirectory(std::string path) : path_(std::move(path)) {}
  InDirectory(const InDirectory&) = delete;
  InDirectory& operator=(const InDirectory&) = delete;
  ~InDirectory() override {
    unlink(path_.c_str());
    rmdir(std::string(base::DirName(path_)).c_str());
  }
  std::string path() const override { return path_; }

 private:
  std::string path_;
};

std::unique_ptr<TemporaryProgram> WriteInMemory(const std::string& name,
                                                std::span<const unsigned char> bytes) {
  // MFD_EXEC (6.3 and later) says that it is meant; older kernels refuse a flag that they do not know.
  constexpr unsigned kMfdExec = 0x10;
  int fd = memfd_create(name.c_str(), MFD_CLOEXEC | kMfdExec);
  if (fd < 0 && errno == EINVAL) fd = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (fd < 0) return nullptr;
  auto program = std::make_unique<InMemory>(fd);
  // Executable through the path, too: /proc may be missing, or mounted noexec.
  if (!WriteAll(fd, bytes) || fchmod(fd, 0500) != 0 || access(program->path().c_str(), X_OK) != 0)
    return nullptr;
  return program;
}

}  // namespace

std::string OwnProgram() {
  std::vector<char> buffer(PATH_MAX);
  const ssize_t length = readlink("/proc/self/exe", buffer.data(), buffer.size());
  return length > 0 ? std::string(buffer.data(), static_cast<size_t>(length)) : "";
}

bool IsProgram(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

base::Result<std::unique_ptr<TemporaryProgram>> WriteProgramFile(const std::string& name,
                                                                 std::span<const unsigned char> bytes) {
  std::string problem = "no directory for temporary files";
  const char* chosen = std::getenv("TMPDIR");
  for (const std::string& place : {std::string(chosen == nullptr ? "" : chosen), std::string("/tmp"),
                                   std::string("/var/tmp"), std::string("/dev/shm")}) {
    if (!place.starts_with('/')) continue;
    std::string directory = base::JoinPath(place, "culprit.XXXXXX");
    if (mkdtemp(directory.data()) == nullptr) {
      problem = place + ": " + std::generic_category().message(errno);
      continue;
    }
    auto program = std::make_unique<InDirectory>(base::JoinPath(directory, name));
    const int fd = open(program->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    const bool written = fd >= 0 && WriteAll(fd, bytes);
    if (!written) problem = place + ": " + std::generic_category().message(errno);
    if (fd >= 0) close(fd);
    if (written && access(program->path().c_str(), X_OK) == 0) return program;
    if (written) problem = place + ": programs cannot be started there (noexec?)";
  }
  return base::Fail(base::ErrorCode::kNotReadable, "cannot unpack " + name + ": " + problem);
}

base::Result<std::unique_ptr<TemporaryProgram>> WriteTemporaryProgram(const std::string& name,
                                                                      std::span<const unsigned char> bytes) {
  if (auto program = WriteInMemory(name, bytes)) return program;
  return WriteProgramFile(name, bytes);
}

}  // namespace culprit::system
