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

  // So far the limit covers everything. From now on it covers each access to this machine, so that a lot of
  // work may take longer, and the message names the file that does not respond.
  std::shared_ptr<const system::System> Watch(std::shared_ptr<const system::System> machine);

 private:
  struct State;
  std::shared_ptr<State> state_;  // null: nothing can hang
};

// Whether a mounted file system may never answer. Yes if the list of mounts cannot be read.
bool MayWaitForEver();

}  // namespace culprit::cli
