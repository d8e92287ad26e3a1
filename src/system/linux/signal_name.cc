#include "system/linux/signal_name.h"

#include <signal.h>

namespace culprit::system {

std::string SignalName(int number) {
  struct Row {
    int number;
    const char* name;
  };
  static constexpr Row kRows[] = {
      {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
      {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
      {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
      {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
      {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},   {SIGIO, "SIGIO"},     {SIGVTALRM, "SIGVTALRM"},
  };
  for (const Row& row : kRows) {
    if (row.number == number) return row.name;
  }
  return "signal " + std::to_string(number);
}

}  // namespace culprit::system
