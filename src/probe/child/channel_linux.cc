// The channel as a file descriptor that no library has a reason to touch.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "probe/child/channel.h"

namespace culprit::prober {

int OpenChannel() {
  // Far from the numbers that libraries get and close by mistake; not for children of libraries.
  int channel = fcntl(1, F_DUPFD_CLOEXEC, 100);
  if (channel < 0) channel = fcntl(1, F_DUPFD_CLOEXEC, 3);  // few files are allowed
  if (channel >= 0) dup2(2, 1);
  return channel;
}

void WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void EndNow(int status) { _exit(status); }

}  // namespace culprit::prober
