#include "base/parallel/in_parallel.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "base/parallel/in_time.h"

namespace culprit::base {
namespace {

class Job {
 public:
  Job(size_t count, const std::function<void(size_t)>& work) : count_(count), work_(work) {}

  // Works until nothing is left to begin. Whoever comes later than that does not touch the work.
  void Help() {
    std::unique_lock lock(mutex_);
    while (next_ < count_) {
      const size_t mine = next_++;
      lock.unlock();
      std::exception_ptr error;
      try {
        work_(mine);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error) error_ = error;
      if (++done_ == count_) all_done_.notify_all();
    }
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    all_done_.wait(lock, [&] { return done_ == count_; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const size_t count_;
  const std::function<void(size_t)>& work_;
  std::mutex mutex_;
  std::condition_variable all_done_;
  size_t next_ = 0, done_ = 0;
  std::exception_ptr error_;
};

// Starting a thread takes as long as reading several files, so those that help stay until there is nothing to
// do for a while. One that waits for a dead file system is lost to the others, who do its share themselves.
class Helpers {
 public:
  void Ask(const std::shared_ptr<Job>& job, size_t helpers) {
    constexpr size_t kMostThreads = 8;
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < helpers; ++i) jobs_.push_back(job);
    const size_t wanted = std::min({kMostThreads, helpers, size_t{std::thread::hardware_concurrency()}});
    while (threads_ < wanted && TryAside([this] { Serve(); })) ++threads_;
    more_.notify_all();
  }

 private:
  void Serve() {
    constexpr std::chrono::milliseconds kIdle(20);
    std::unique_lock lock(mutex_);
    while (more_.wait_for(lock, kIdle, [&] { return !jobs_.empty(); })) {
      const std::shared_ptr<Job> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job->Help();
      lock.lock();
    }
    --threads_;
  }

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::shared_ptr<Job>> jobs_;
  size_t threads_ = 0;
};

}  // namespace

void InParallel(size_t count, size_t share, const std::function<void(size_t)>& work) {
  static Helpers& helpers = *new Helpers;  // its threads may be there to the end
  const auto job = std::make_shared<Job>(count, work);
  const size_t threads = std::min<size_t>(count / share, std::thread::hardware_concurrency());
  if (threads > 1) helpers.Ask(job, threads - 1);
  job->Help();
  job->Wait();
}

}  // namespace culprit::base
