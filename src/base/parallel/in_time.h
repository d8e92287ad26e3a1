// The only place that starts a thread that may be abandoned: a thread that reads a file on a dead mount gets
// no answer and cannot be stopped, so callers wait for it only up to a limit.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

namespace culprit::base {

// Calls `function` in its own thread, which may outlive the caller: `function` must own or share what it
// reads, and nobody may write to that from now on. False where no thread can be had (a low `ulimit -u`).
template <typename Function>
bool TryAside(Function function) {
  try {
    auto thread = std::make_unique<std::thread>(std::move(function));
#ifdef _WIN32
    thread.release();  // winpthreads sometimes crashes or hangs if a thread is detached while it starts
#else
    thread->detach();
#endif
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// The same with an answer; without a thread, it is called here and now. What it throws comes out of get().
template <typename Function>
auto StartAside(Function function) {
  auto task = std::make_shared<std::packaged_task<std::invoke_result_t<Function&>()>>(std::move(function));
  auto answer = task->get_future();
  if (!TryAside([task] { (*task)(); })) (*task)();
  return answer;
}

// What `function` returns; nullopt if it takes longer than `limit`, and then it is abandoned.
template <typename Function>
auto InTime(std::chrono::milliseconds limit, Function function)
    -> std::optional<std::invoke_result_t<Function&>> {
  auto answer = StartAside(std::move(function));
  if (answer.wait_for(limit) != std::future_status::ready) return std::nullopt;
  return answer.get();
}

}  // namespace culprit::base
