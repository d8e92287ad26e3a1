// The only place that starts a thread which may be abandoned: whoever asks for a file on a dead mount gets no
// answer and cannot be stopped, so nobody waits for him longer than he likes to.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace culprit::base {

// Calls `function` in a thread of its own. The thread may outlive its starter: `function` must own what it
// reads, alone or with others, and nobody may write to that from now on. What it throws comes out of get().
template <typename Function>
auto StartAside(Function function) {
  std::packaged_task<std::invoke_result_t<Function&>()> task(std::move(function));
  auto answer = task.get_future();
  auto thread = std::make_unique<std::thread>(std::move(task));
#ifdef _WIN32
  thread.release();  // winpthreads now and then crashes or hangs when a thread is detached while it starts
#else
  thread->detach();
#endif
  return answer;
}

// What `function` returns; nullopt when `limit` is over first, and then it is abandoned.
template <typename Function>
auto InTime(std::chrono::milliseconds limit, Function function)
    -> std::optional<std::invoke_result_t<Function&>> {
  auto answer = StartAside(std::move(function));
  if (answer.wait_for(limit) != std::future_status::ready) return std::nullopt;
  return answer.get();
}

}  // namespace culprit::base
