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

}  // namespace

uint64_t MakeFileWithRoom(const std::string& path, uint64_t most, uint64_t least) {
  const Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return 0;
  for (uint64_t size = most; size >= least && size > 0; size /= 4) {
    if (fallocate(file.get(), 0, 0, static_cast<off_t>(size)) == 0) return size;
    if (errno == EOPNOTSUPP && FillWithZeros(file.get(), least)) return least;
    if (ftruncate(file.get(), 0) != 0) return 0;
  }
  return 0;
}

}  // namespace culprit::system
