// See pool.h. Every child processes its own numbers in order and writes a record (number, length, text) for
// each to its pipe, so the parent knows what a child was doing when it died.
#include "pool.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <vector>

namespace culprit::gold {
namespace {

constexpr uid_t kNobody = 65534;
constexpr unsigned kSecondsPerPiece = 30;  // a piece that hangs is killed, and reported like a crash

struct Header {
  uint64_t number;
  uint64_t size;
};

void WriteAll(int fd, const void* data, size_t size) {
  for (const char* at = static_cast<const char*>(data); size > 0;) {
    const ssize_t written = write(fd, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(3);
    at += written;
    size -= static_cast<size_t>(written);
  }
}

void Send(int fd, uint64_t number, const std::string& text) {
  const Header header{number, text.size()};
  WriteAll(fd, &header, sizeof header);
  WriteAll(fd, text.data(), text.size());
}

struct Worker {
  unsigned index = 0;
  pid_t pid = 0;
  int fd = -1;
  uint64_t next = 0;  // piece to start with if the child has to be replaced
  std::string buffer;
};

}  // namespace

void RunPool(uint64_t count, unsigned jobs, const std::function<std::string(uint64_t, unsigned)>& work,
             const std::function<void(const Piece&)>& done) {
  const auto start = [&](Worker& worker) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    worker.buffer.clear();
    worker.pid = fork();
    if (worker.pid < 0) throw std::runtime_error("fork failed");
    if (worker.pid == 0) {
      close(ends[0]);
      if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0))
        _exit(3);
      for (uint64_t number = worker.next; number < count; number += jobs) {
        alarm(kSecondsPerPiece);
        std::string text;
        try {
          text = work(number, worker.index);
        } catch (const std::exception& error) {
          text = std::string("exception: ") + error.what() + "\n";
        }
        Send(ends[1], number, text);
      }
      _exit(0);
    }
    close(ends[1]);
    worker.fd = ends[0];
  };

  std::vector<Worker> workers(jobs);
  for (unsigned i = 0; i < jobs; ++i) {
    workers[i].index = i;
    workers[i].next = i;
    if (workers[i].next < count) start(workers[i]);
  }
  const auto read_records = [&](Worker& worker) {
    while (worker.buffer.size() >= sizeof(Header)) {
      Header header;
      std::memcpy(&header, worker.buffer.data(), sizeof header);
      if (worker.buffer.size() < sizeof header + header.size) return;
      done({header.number, false, worker.buffer.substr(sizeof header, header.size)});
      worker.next = header.number + jobs;
      worker.buffer.erase(0, sizeof header + header.size);
    }
  };
  for (;;) {
    std::vector<pollfd> waits;
    std::vector<Worker*> waiting;
    for (Worker& worker : workers) {
      if (worker.fd < 0) continue;
      waits.push_back({worker.fd, POLLIN, 0});
      waiting.push_back(&worker);
    }
    if (waits.empty()) return;
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) throw std::runtime_error("poll failed");
    for (size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents == 0) continue;
      Worker& worker = *waiting[i];
      char bytes[65536];
      const ssize_t got = read(worker.fd, bytes, sizeof bytes);
      if (got > 0) {
        worker.buffer.append(bytes, static_cast<size_t>(got));
        read_records(worker);
        continue;
      }
      close(worker.fd);
      worker.fd = -1;
      int status = 0;
      waitpid(worker.pid, &status, 0);
      if (worker.next >= count) continue;
      // It ended before its last piece was done.
      done({worker.next, true, "the comparing process died, status " + std::to_string(status) + "\n"});
      worker.next += jobs;
      if (worker.next < count) start(worker);
    }
  }
}

std::string MakeWorkDirectory() {
  const char* base = std::getenv("TMPDIR");
  std::string path = std::string(base != nullptr ? base : "/tmp") + "/gold-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make " + path);
  chmod(path.c_str(), 0755);
  if (geteuid() == 0 && chown(path.c_str(), kNobody, kNobody) != 0) throw std::runtime_error("chown failed");
  return path;
}

}  // namespace culprit::gold
