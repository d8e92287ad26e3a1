// What the gold tests need from the machine they run on: its files, its readelf and ldconfig. For tests only;
// the program itself sees a machine through src/system.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/bytes/byte_source.h"

namespace culprit::binfmt::testing {

// EM_* of this program; 0 if the tests have none for it.
inline uint16_t NativeMachine() {
#if defined(__aarch64__)
  return 183;
#elif defined(__x86_64__)
  return 62;
#else
  return 0;
#endif
}

class FileSource final : public base::ByteSource {
 public:
  explicit FileSource(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status{};
    if (fd_ >= 0 && fstat(fd_, &status) == 0) size_ = static_cast<uint64_t>(status.st_size);
  }
  ~FileSource() override {
    if (fd_ >= 0) close(fd_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  uint64_t size() const override { return size_; }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    const ssize_t n = pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
    if (n < 0) return base::Fail(base::ErrorCode::kNotReadable, "cannot read");
    return static_cast<size_t>(n);
  }

 private:
  int fd_;
  uint64_t size_ = 0;
};

// stdout of a shell command; its stderr is dropped.
inline std::string Output(const std::string& command) {
  std::string text;
  FILE* pipe = popen(("LC_ALL=C; export LC_ALL; { " + command + "; } 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  while (const size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  pclose(pipe);
  return text;
}

inline bool HasProgram(const std::string& name) { return !Output("command -v " + name).empty(); }

inline std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Removed together with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "culprit-test-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string Write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }

 private:
  std::string path_;
};

// The out.zip that a Python program writes in `directory`; "" if it fails.
inline std::string ZipMadeBy(const std::string& program, const TemporaryDirectory& directory) {
  directory.Write("make.py", program);
  const std::string command = "cd '" + directory.path() + "' && python3 make.py";
  return std::system(command.c_str()) == 0 ? ReadAll(directory.path() + "/out.zip") : "";
}

}  // namespace culprit::binfmt::testing
