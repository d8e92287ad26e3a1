// Runs numbered pieces of work in a few child processes, without root (a file with mode 000 must be
// unreadable). A piece that crashes is reported, and the rest goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace culprit::gold {

struct Piece {
  uint64_t number = 0;
  bool crashed = false;
  std::string text;  // what the work returned
};

// Calls `work(number, worker)` for 0 .. count-1 in `jobs` children, and `done` here for each, in any order.
// `worker` identifies the child (0 .. jobs-1).
void RunPool(uint64_t count, unsigned jobs,
             const std::function<std::string(uint64_t number, unsigned worker)>& work,
             const std::function<void(const Piece&)>& done);

// A new directory that the children may write to; removed at the end.
class WorkDirectory {
 public:
  WorkDirectory();
  ~WorkDirectory();
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace culprit::gold
