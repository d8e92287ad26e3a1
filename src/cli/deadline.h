// A time limit for commands that read files in the main thread: a file on a dead mount never answers.
#pragma once

#include <chrono>
#include <memory>

#include "system/system.h"

namespace culprit::cli {

// While it lives, the program ends with status 2 and a line on stderr when files do not answer within a
// limit.
class Deadline {
 public:
  // A thread costs a third of the run time of a short `why`: kIfFilesMayWait starts none if all mounted file
  // systems are local, since those answer. A command that starts threads anyway need not care.
  enum class Guard { kIfFilesMayWait, kAlways };

  explicit Deadline(std::chrono::seconds limit, Guard guard = Guard::kIfFilesMayWait);
  ~Deadline();
  Deadline(const Deadline&) = delete;

  // The limit is for everything so far. From now on it is for each access to this machine, so that much work
  // may take its time, and the line names the file that does not answer.
  std::shared_ptr<const system::System> Watch(std::shared_ptr<const system::System> machine);

 private:
  struct State;
  std::shared_ptr<State> state_;  // null: nothing can hang
};

// Whether a mounted file system may never answer. Yes if the list of mounts cannot be read.
bool MayWaitForEver();

}  // namespace culprit::cli
