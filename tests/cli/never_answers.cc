// never_answers PATH COMMAND...: runs COMMAND on a machine where PATH and everything below it never answers,
// as on a dead mount. The kernel asks this program about each system call that takes a path (seccomp user
// notification); for those below PATH it gives no answer. The list of mounts cannot be read there, so nobody
// can tell that all file systems are local. Exit status: that of COMMAND; 77 where the kernel does not offer
// this.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <thread>

namespace {

constexpr int kNotOffered = 77;

// Calls whose second argument is a path, on every CPU of ours.
constexpr uint32_t kCalls[] = {SYS_openat,     SYS_openat2,   SYS_newfstatat, SYS_statx,
                               SYS_readlinkat, SYS_faccessat, SYS_faccessat2};

// The descriptor on which the kernel asks; -1 where it does not.
int AskFromNowOn() {
  sock_filter filter[std::size(kCalls) + 3];
  size_t n = 0;
  filter[n++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (const uint32_t call : kCalls) {
    const auto rest = static_cast<uint8_t>(std::size(kCalls) - (n - 1));
    filter[n++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, rest, 0);
  }
  filter[n++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[n++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  sock_fprog program{.len = static_cast<unsigned short>(n), .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

void SendDescriptor(int socket, int descriptor) {
  char byte = 0;
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  iovec data{&byte, 1};
  msghdr message{.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  *header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  sendmsg(socket, &message, 0);
}

int ReceiveDescriptor(int socket) {
  char byte = 0;
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  iovec data{&byte, 1};
  msghdr message{.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  if (recvmsg(socket, &message, 0) != 1) return -1;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  int descriptor = -1;
  if (header != nullptr) std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

std::string PathOf(const seccomp_notif& asked) {
  char path[4096] = {};
  iovec here{path, sizeof path - 1};
  iovec there{reinterpret_cast<void*>(asked.data.args[1]), sizeof path - 1};
  ssize_t got = process_vm_readv(static_cast<pid_t>(asked.pid), &here, 1, &there, 1, 0);
  if (got <= 0) {  // it stands just before the end of a page
    there.iov_len = 4096 - asked.data.args[1] % 4096;
    got = process_vm_readv(static_cast<pid_t>(asked.pid), &here, 1, &there, 1, 0);
  }
  return got > 0 ? path : "";
}

[[noreturn]] void Answer(int asking, const std::string& dead) {
  while (true) {
    seccomp_notif asked{};
    if (ioctl(asking, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) {
      if (errno == EINTR || errno == ENOENT) continue;
      while (true) pause();  // nobody is left to ask
    }
    const std::string path = PathOf(asked);
    if (path == dead || path.starts_with(dead + "/")) continue;
    seccomp_notif_resp answer{.id = asked.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    if (path == "/proc/self/mounts") answer = {.id = asked.id, .error = -EACCES};
    ioctl(asking, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 64;
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return kNotOffered;
  const pid_t child = fork();
  if (child == 0) {
    const int asking = AskFromNowOn();
    if (asking < 0) _exit(kNotOffered);
    SendDescriptor(sockets[1], asking);
    close(asking);
    execv(argv[2], argv + 2);
    _exit(127);
  }
  close(sockets[1]);
  const int asking = ReceiveDescriptor(sockets[0]);
  if (asking >= 0) std::thread(Answer, asking, std::string(argv[1])).detach();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
