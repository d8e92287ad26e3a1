// The user's terminal while his program talks to another one: its settings, kept and given back.
#pragma once

#include <termios.h>

namespace culprit::system {

class UserTerminal {
 public:
  explicit UserTerminal(int fd) : fd_(fd) {}
  UserTerminal(const UserTerminal&) = delete;
  UserTerminal& operator=(const UserTerminal&) = delete;
  ~UserTerminal() { Restore(); }

  bool InForeground() const;
  // Every key goes on as it is, if the terminal is ours at the moment.
  void GoRaw();
  void Restore();
  bool raw() const { return raw_; }
  // The settings that it had; false where they cannot be told.
  bool Settings(termios& settings) const;

 private:
  int fd_;
  bool raw_ = false;
  termios kept_ = {};
};

// Gives `terminal` the size of the one at `from`. False: it has none.
bool CopySize(int from, int terminal);

}  // namespace culprit::system
