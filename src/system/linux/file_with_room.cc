// Room is taken with fallocate(); a file system without it gets zeros.
#include "system/file_with_room.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "system/linux/descriptor.h"

namespace culprit::system {
namespace {

// Where the file system cannot set room aside.
bool FillWithZeros(int fd, uint64_t size) {
  const std::vector<char> zeros(1 << 20);
  for (uint64_t at = 0; at < size; at += zeros.size()) {
    if (pwrite(fd, zeros.data(), zeros.size(), static_cast<off_t>(at)) != static_cast<ssize_t>(zeros.size()))
      return false;
  }
  return true;
}

// Its size; 0 if there is no room.
uint64_t TakeRoom(int fd, uint64_t most, uint64_t least) {
  for (uint64_t size = most; size >= least && size > 0; size /= 4) {
    if (fallocate(fd, 0, 0, static_cast<off_t>(size)) == 0) return size;
    if (errno == EOPNOTSUPP && FillWithZeros(fd, least)) return least;
    if (ftruncate(fd, 0) != 0) return 0;
  }
  return 0;
}

class RoomyFile final : public FileWithRoom {
 public:
  RoomyFile(Descriptor file, uint64_t size) : file_(std::move(file)), size_(size) {}
  uint64_t size() const override { return size_; }
  bool Write(uint64_t at, std::string_view bytes) override {
    return pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)) ==
           static_cast<ssize_t>(bytes.size());
  }
  std::string Read(uint64_t at, uint64_t most) const override {
    std::string bytes(static_cast<size_t>(most), '\0');
    size_t got = 0;
    while (got < bytes.size()) {
      const ssize_t more =
          pread(file_.get(), bytes.data() + got, bytes.size() - got, static_cast<off_t>(at + got));
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) break;
      got += static_cast<size_t>(more);
    }
    bytes.resize(got);
    return bytes;
  }

 private:
  Descriptor file_;
  uint64_t size_;
};

}  // namespace

std::unique_ptr<FileWithRoom> MakeFileWithRoom(const std::string& path, uint64_t most, uint64_t least) {
  Descriptor file = Lift(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const uint64_t size = file ? TakeRoom(file.get(), most, least) : 0;
  if (size == 0) return nullptr;
  return std::make_unique<RoomyFile>(std::move(file), size);
}

}  // namespace culprit::system
