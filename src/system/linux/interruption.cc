// The signals are blocked in all threads but one, which waits for them as data (signalfd).
#include "system/interruption.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "system/linux/descriptor.h"
#include "system/linux/signal_name.h"

namespace culprit::system {

struct Interruption::State {
  sigset_t set, before;
  Descriptor signals, over;
  std::stop_source source;
  std::atomic<int> came = 0;
  std::jthread waiter;

  void Wait() {
    std::array<pollfd, 2> waits = {pollfd{signals.get(), POLLIN, 0}, pollfd{over.get(), POLLIN, 0}};
    while (waits[1].revents == 0) {
      if (poll(waits.data(), waits.size(), -1) <= 0 || waits[0].revents == 0) continue;
      signalfd_siginfo info = {};
      if (read(signals.get(), &info, sizeof(info)) != static_cast<ssize_t>(sizeof(info))) continue;
      came = static_cast<int>(info.ssi_signo);
      source.request_stop();
      // The next one is not held back: it arrives in this thread, and ends the process.
      pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
      waits[0].fd = -1;
      waits[0].revents = 0;
    }
  }
};

Interruption::Interruption() : state_(std::make_unique<State>()) {
  State& state = *state_;
  sigemptyset(&state.set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now = {};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) sigaddset(&state.set, number);
  }
  pthread_sigmask(SIG_BLOCK, &state.set, &state.before);
  state.signals = Lift(signalfd(-1, &state.set, SFD_CLOEXEC));
  state.over = Lift(eventfd(0, EFD_CLOEXEC));
  if (state.signals && state.over) {
    state.waiter = std::jthread([&state] { state.Wait(); });
  } else {
    pthread_sigmask(SIG_SETMASK, &state.before, nullptr);
  }
}

Interruption::~Interruption() {
  if (!state_->waiter.joinable()) return;
  eventfd_write(state_->over.get(), 1);
  state_->waiter.join();
  pthread_sigmask(SIG_SETMASK, &state_->before, nullptr);
}

std::stop_token Interruption::token() const { return state_->source.get_token(); }

std::string Interruption::signal() const { return state_->came == 0 ? "" : SignalName(state_->came); }

void Interruption::EndByIt() const {
  if (state_->came == 0) return;
  pthread_sigmask(SIG_SETMASK, &state_->before, nullptr);
  kill(getpid(), state_->came);
}

}  // namespace culprit::system
