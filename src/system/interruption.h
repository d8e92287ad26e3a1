// A request to end this process, held back so that it can clear away what it left elsewhere. One source per
// platform; on Windows there are no such requests, and nothing is held back.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

namespace culprit::system {

// While it lives, the first SIGINT, SIGTERM or SIGHUP does not end this process but stops the token; the
// second one ends it. A signal that was ignored before stays so. Make it while there is only one thread.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;

  std::stop_token token() const;
  std::string signal() const;  // "SIGINT"; "" if none came
  // Ends this process by the signal that came. Returns if none did.
  void EndByIt() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace culprit::system
