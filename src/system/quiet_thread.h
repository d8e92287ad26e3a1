// A thread that may be abandoned must not take signals that are meant for the rest of the program.
#pragma once

#ifndef _WIN32
#include <signal.h>
#endif

namespace culprit::system {

inline void TakeNoSignals() {
#ifndef _WIN32
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
#endif
}

}  // namespace culprit::system
