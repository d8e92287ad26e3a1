// Each child either tells every step that is left or dies at one of them. That one gets the blame, what needs
// it is not run, and a new child is started for the rest: every round settles at least one step, so it ends.
#include "probe/host/job_run.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "probe/host/blame.h"
#include "probe/host/output_tail.h"
#include "probe/host/protocol.h"
#include "probe/host/steps.h"
#include "system/child.h"

namespace culprit::probe {
namespace {

using snapshot::ProbeStep;
using Clock = std::chrono::steady_clock;

bool Contains(const std::vector<StepName>& names, StepName name) {
  return std::ranges::find(names, name) != names.end();
}

class JobRun {
 public:
  JobRun(const Job& job, const std::string& program, std::chrono::milliseconds step_limit,
         const JobWatch& watch)
      : job_(job),
        program_(job.program.empty() ? program : job.program),
        limit_(step_limit * job.patience),
        watch_(watch) {}

  JobResult Run() {
    for (std::vector<StepName> open = Open(); !open.empty(); open = Open()) {
      if (watch_.stop.stop_requested()) {
        SettleAll(StepOutcome::kNotRun, "the probe was interrupted");
      } else {
        Round(open);
      }
    }
    JobResult result;
    for (const StepName name : job_.steps) result.steps.push_back(settled_.at(name));
    result.devices = std::move(devices_);
    return result;
  }

 private:
  // One child's conversation, as far as it has come.
  struct Talk {
    Transcript transcript;
    OutputTail tail;          // of the step that is current, or of the next
    std::string fresh;        // came together with lines of the transcript: before or after them?
    size_t told = 0;          // steps that are settled
    size_t told_devices = 0;  // devices that are taken over
    StepName announced = StepName::kNone;  // the step that was told to on_begin
    StepName unasked = StepName::kNone;
    Clock::time_point last_sign = Clock::now();
  };

  // The steps without a result that can be tried; those that cannot get theirs.
  std::vector<StepName> Open() {
    std::vector<StepName> open;
    for (const StepName name : job_.steps) {
      if (settled_.contains(name)) continue;
      const StepName failed = FailedNeed(name);
      if (failed == StepName::kNone) {
        open.push_back(name);
      } else {
        Settle(
            Blank(name, StepOutcome::kNotRun, "needs " + std::string(base::Word(failed)) + ", which failed"));
      }
    }
    return open;
  }

  // The step that `name` needs, directly or not, and that was tried and did not succeed; kNone: none.
  StepName FailedNeed(StepName name) const {
    StepName failed = StepName::kNone;
    for (StepName needed = KindOf(name).needs; needed != StepName::kNone; needed = KindOf(needed).needs) {
      const auto need = settled_.find(needed);
      if (need != settled_.end() && need->second.outcome != StepOutcome::kOk &&
          (failed == StepName::kNone || need->second.outcome != StepOutcome::kNotRun))
        failed = needed;
    }
    return failed;
  }

  ProbeStep Blank(StepName name, StepOutcome outcome, const std::string& detail) const {
    ProbeStep step;
    step.name = name;
    step.subject = job_.subject;
    step.outcome = outcome;
    step.detail = detail;
    return step;
  }

  void Settle(ProbeStep step) {
    step.job = job_.name;
    if (step.subject.empty()) step.subject = job_.subject;
    const auto [place, is_new] = settled_.emplace(step.name, step);
    if (is_new && watch_.on_end) watch_.on_end(place->second, devices_);
  }

  void SettleAll(StepOutcome outcome, const std::string& detail) {
    for (const StepName name : job_.steps) {
      if (!settled_.contains(name)) Settle(Blank(name, outcome, detail));
    }
  }

  // Whose words `fresh` are, where several steps are new at once: the first that failed, else the last of
  // them.
  static size_t Speaker(const Talk& talk) {
    const std::vector<ProbeStep>& steps = talk.transcript.steps();
    for (size_t i = talk.told; i < steps.size(); ++i) {
      if (steps[i].outcome == StepOutcome::kFailed) return i;
    }
    return talk.transcript.current() || steps.empty() ? steps.size() : steps.size() - 1;
  }

  // What is new in the transcript. False: it is not worth listening to any longer.
  bool Follow(Talk& talk, const std::vector<StepName>& open) {
    const Transcript& transcript = talk.transcript;
    const size_t speaker = Speaker(talk);
    for (; talk.told < transcript.steps().size(); ++talk.told) {
      ProbeStep step = transcript.steps()[talk.told];
      if (!Contains(open, step.name)) {
        talk.unasked = step.name;
        return false;
      }
      talk.last_sign = Clock::now();
      talk.announced = StepName::kNone;
      if (talk.told == speaker) talk.tail.Add(std::exchange(talk.fresh, {}));
      step.output = talk.tail.Take();
      for (; talk.told_devices < transcript.devices().size(); ++talk.told_devices)
        devices_.push_back(transcript.devices()[talk.told_devices]);
      Settle(std::move(step));
    }
    if (transcript.current() && transcript.current()->name != talk.announced) {
      talk.last_sign = Clock::now();
      talk.announced = transcript.current()->name;
      if (watch_.on_begin) watch_.on_begin(talk.announced);
    }
    return transcript.problem().empty();
  }

  void Round(const std::vector<StepName>& open) {
    Talk talk;
    system::ChildRequest request{.program = program_, .arguments = job_.arguments};
    for (const StepName name : open) {
      request.arguments.push_back("--only");
      request.arguments.emplace_back(base::Word(name));
    }
    system::ChildWatch watch;
    watch.stop = watch_.stop;
    watch.deadline = [&] { return talk.last_sign + limit_; };
    watch.on_output = [&](system::ChildStream stream, std::string_view bytes) {
      if (stream == system::ChildStream::kError) {
        if (talk.fresh.size() > OutputTail::kMost) talk.tail.Add(std::exchange(talk.fresh, {}));
        talk.fresh += bytes;
        return true;
      }
      talk.transcript.Feed(bytes);
      return Follow(talk, open);
    };
    watch.on_pause = [&] { talk.tail.Add(std::exchange(talk.fresh, {})); };
    const base::Result<system::ChildEnd> end = system::RunChild(request, watch);

    const auto left = std::ranges::find_if(open, [this](StepName name) { return !settled_.contains(name); });
    if (left == open.end() || watch_.stop.stop_requested()) return;
    const std::optional<ProbeStep>& current = talk.transcript.current();
    const bool in_step = current && Contains(open, current->name) && !settled_.contains(current->name);
    ProbeStep step = in_step ? *current : Blank(*left, StepOutcome::kNone, "");
    Blame(step, end, talk.transcript, talk.unasked, limit_);
    watch.on_pause();
    step.output = talk.tail.Take();
    if (in_step && step.microseconds == 0) {
      const auto taken = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - talk.last_sign);
      step.microseconds = static_cast<uint64_t>(taken.count());
    }
    const bool never_spoke =
        step.outcome == StepOutcome::kEnded && talk.transcript.steps().empty() && !current;
    Settle(std::move(step));
    // A program that does not even start is not started again for each step, nor one that takes no orders.
    if (talk.transcript.done()) {
      SettleAll(StepOutcome::kEnded, "its process exited before this step");
    } else if (never_spoke) {
      SettleAll(StepOutcome::kNotRun, "its program did not start");
    }
  }

  const Job& job_;
  const std::string program_;
  const std::chrono::milliseconds limit_;
  const JobWatch& watch_;
  std::map<StepName, ProbeStep> settled_;
  std::vector<snapshot::ProbedDevice> devices_;
};

}  // namespace

JobResult RunJob(const Job& job, const std::string& program, std::chrono::milliseconds step_limit,
                 const JobWatch& watch) {
  return JobRun(job, program, step_limit, watch).Run();
}

}  // namespace culprit::probe
