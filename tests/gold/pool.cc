// See pool.h. Every child takes its own numbers in order and writes a record (number, length, text) to its
// pipe for each, so the parent knows which piece killed a child.
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

#include "tree.h"

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
  uint64_t next = 0;  // the piece that a replacement for this child begins with
  std::string buffer;
};

using Work = std::function<std::string(uint64_t, unsigned)>;
using Done = std::function<void(const Piece&)>;

class Pool {
 public:
  Pool(uint64_t count, unsigned jobs, const Work& work, const Done& done)
      : count_(count), jobs_(jobs), work_(work), done_(done), workers_(jobs) {}

  void Run() {
    for (unsigned i = 0; i < jobs_; ++i) {
      workers_[i].index = i;
      workers_[i].next = i;
      Start(workers_[i]);
    }
    for (std::vector<Worker*> ready = Wait(); !ready.empty(); ready = Wait()) {
      for (Worker* worker : ready) Read(*worker);
    }
  }

 private:
  // Starts a child for the pieces that are left; none if there are none.
  void Start(Worker& worker) {
    if (worker.next >= count_) return;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    worker.buffer.clear();
    worker.pid = fork();
    if (worker.pid < 0) throw std::runtime_error("fork failed");
    if (worker.pid == 0) {
      close(ends[0]);
      Child(worker, ends[1]);
    }
    close(ends[1]);
    worker.fd = ends[0];
  }

  [[noreturn]] void Child(const Worker& worker, int fd) const {
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0))
      _exit(3);
    for (uint64_t number = worker.next; number < count_; number += jobs_) {
      alarm(kSecondsPerPiece);
      std::string text;
      try {
        text = work_(number, worker.index);
      } catch (const std::exception& error) {
        text = std::string("exception: ") + error.what() + "\n";
      }
      Send(fd, number, text);
    }
    _exit(0);
  }

  // Blocks until a child has written or ended. Empty when all have ended.
  std::vector<Worker*> Wait() {
    while (true) {
      std::vector<pollfd> waits;
      std::vector<Worker*> waiting, ready;
      for (Worker& worker : workers_) {
        if (worker.fd < 0) continue;
        waits.push_back({worker.fd, POLLIN, 0});
        waiting.push_back(&worker);
      }
      if (waits.empty()) return {};
      if (poll(waits.data(), waits.size(), -1) < 0) {
        if (errno == EINTR) continue;
        throw std::runtime_error("poll failed");
      }
      for (size_t i = 0; i < waits.size(); ++i) {
        if (waits[i].revents != 0) ready.push_back(waiting[i]);
      }
      if (!ready.empty()) return ready;
    }
  }

  void Read(Worker& worker) {
    char bytes[65536];
    const ssize_t got = read(worker.fd, bytes, sizeof bytes);
    if (got > 0) {
      worker.buffer.append(bytes, static_cast<size_t>(got));
      TakeRecords(worker);
      return;
    }
    close(worker.fd);
    worker.fd = -1;
    int status = 0;
    waitpid(worker.pid, &status, 0);
    if (worker.next >= count_) return;
    // It ended before its last piece was done.
    done_({worker.next, true, "the comparing process died, status " + std::to_string(status) + "\n"});
    worker.next += jobs_;
    Start(worker);
  }

  void TakeRecords(Worker& worker) {
    while (worker.buffer.size() >= sizeof(Header)) {
      Header header;
      std::memcpy(&header, worker.buffer.data(), sizeof header);
      if (worker.buffer.size() < sizeof header + header.size) return;
      done_({header.number, false, worker.buffer.substr(sizeof header, header.size)});
      worker.next = header.number + jobs_;
      worker.buffer.erase(0, sizeof header + header.size);
    }
  }

  const uint64_t count_;
  const unsigned jobs_;
  const Work& work_;
  const Done& done_;
  std::vector<Worker> workers_;
};

}  // namespace

void RunPool(uint64_t count, unsigned jobs, const Work& work, const Done& done) {
  Pool(count, jobs, work, done).Run();
}

WorkDirectory::WorkDirectory() {
  const char* base = std::getenv("TMPDIR");
  path_ = std::string(base != nullptr ? base : "/tmp") + "/gold-XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
  chmod(path_.c_str(), 0755);
  if (geteuid() == 0 && chown(path_.c_str(), kNobody, kNobody) != 0) throw std::runtime_error("chown failed");
}

WorkDirectory::~WorkDirectory() { RemoveTree(path_); }

}  // namespace culprit::gold
