#include "probe/host/run.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "probe/host/job_run.h"
#include "probe/host/steps.h"

namespace culprit::probe {

struct Run::State {
  struct Entry {
    Job job;
    JobResult result;
    bool waiting = true;
    bool knows_devices = false;  // the step "devices" has ended, or there is none in it
    std::vector<snapshot::ProbedDevice> devices;
    std::thread thread;
  };

  RunOptions options;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::unique_ptr<Entry>> entries;  // as they were started
  size_t running = 0;
  std::stop_source stop;

  // The first that waits goes first.
  bool MayStart(const Entry& entry) const {
    if (stop.stop_requested()) return true;
    const auto first = std::ranges::find_if(entries, [](const auto& other) { return other->waiting; });
    return running < options.side_by_side && first->get() == &entry;
  }

  void Watch(Entry& entry) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return MayStart(entry); });
      entry.waiting = false;
      ++running;
    }
    changed.notify_all();
    JobWatch watch;
    watch.stop = stop.get_token();
    watch.on_begin = [&](StepName name) {
      if (options.on_progress)
        options.on_progress((entry.job.title.empty() ? entry.job.name.text() : entry.job.title) + ": " +
                            std::string(KindOf(name).title));
    };
    watch.on_end = [&](const snapshot::ProbeStep& step, const std::vector<snapshot::ProbedDevice>& devices) {
      if (step.name != StepName::kDevices) return;
      const std::lock_guard lock(mutex);
      entry.devices = devices;
      entry.knows_devices = true;
      changed.notify_all();
    };
    JobResult result = RunJob(entry.job, options.program, options.step_limit, watch);
    const std::lock_guard lock(mutex);
    entry.devices = result.devices;
    entry.result = std::move(result);
    entry.knows_devices = true;
    --running;
    changed.notify_all();
  }

  void Join() {
    for (const auto& entry : entries) {
      if (entry->thread.joinable()) entry->thread.join();
    }
  }
};

Run::Run(RunOptions options) : state_(std::make_unique<State>()) { state_->options = std::move(options); }

Run::~Run() {
  state_->stop.request_stop();
  {
    const std::lock_guard lock(state_->mutex);  // nobody is between looking and waiting
  }
  state_->changed.notify_all();
  state_->Join();
}

void Run::Start(Job job) {
  auto entry = std::make_unique<State::Entry>();
  entry->job = std::move(job);
  entry->knows_devices = std::ranges::find(entry->job.steps, StepName::kDevices) == entry->job.steps.end();
  State::Entry& started = *entry;
  const std::lock_guard lock(state_->mutex);
  state_->entries.push_back(std::move(entry));
  started.thread = std::thread([state = state_.get(), &started] { state->Watch(started); });
}

void Run::Limit(size_t side_by_side) {
  const std::lock_guard lock(state_->mutex);
  state_->options.side_by_side = std::max<size_t>(side_by_side, 1);
  state_->changed.notify_all();
}

std::vector<snapshot::ProbedDevice> Run::WaitForDevices() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] {
    return std::ranges::all_of(state_->entries, [](const auto& entry) { return entry->knows_devices; });
  });
  std::vector<snapshot::ProbedDevice> devices;
  for (const auto& entry : state_->entries)
    devices.insert(devices.end(), entry->devices.begin(), entry->devices.end());
  return devices;
}

snapshot::ProbeFacts Run::Wait() {
  state_->Join();
  snapshot::ProbeFacts facts;
  for (const auto& entry : state_->entries) {
    const JobResult& result = entry->result;
    facts.devices.insert(facts.devices.end(), result.devices.begin(), result.devices.end());
    facts.steps.insert(facts.steps.end(), result.steps.begin(), result.steps.end());
  }
  return facts;
}

}  // namespace culprit::probe
