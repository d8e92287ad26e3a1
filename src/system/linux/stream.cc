// Reading from a descriptor, without waiting where nobody asked for it.
#include "system/stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace culprit::system {
namespace {

class DescriptorStream final : public InputStream {
 public:
  DescriptorStream(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  ~DescriptorStream() override {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }

  base::Result<size_t> Read(std::span<char> out) override {
    while (true) {
      const ssize_t got = read(descriptor_, out.data(), out.size());
      if (got >= 0) return static_cast<size_t>(got);
      if (errno != EINTR)
        return base::Fail(base::ErrorCode::kNotReadable, name_ + ": " + std::strerror(errno));
    }
  }

  bool Wait(int limit_ms) override {
    pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
    return poll(&waiting, 1, limit_ms) > 0;
  }

 private:
  int descriptor_;
  std::string name_;
};

}  // namespace

std::unique_ptr<InputStream> StandardInput() {
  return std::make_unique<DescriptorStream>(STDIN_FILENO, "standard input");
}

bool StandardInputIsTerminal() { return isatty(STDIN_FILENO) == 1; }

base::Result<std::unique_ptr<InputStream>> OpenInput(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) {
    const auto code =
        errno == ENOENT || errno == ENOTDIR ? base::ErrorCode::kNotFound : base::ErrorCode::kNotReadable;
    return base::Fail(code, path + ": " + std::strerror(errno));
  }
  auto stream = std::make_unique<DescriptorStream>(descriptor, path);
  struct stat status{};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    return base::Fail(base::ErrorCode::kNotReadable, path + ": is a directory; name the log in it");
  }
  return stream;
}

}  // namespace culprit::system
