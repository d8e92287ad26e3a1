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

bool Contains(const std::vector<std::string>& names, const std::string& name) {
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
    for (std::vector<std::string> open = Open(); !open.empty(); open = Open()) {
      if (watch_.stop.stop_requested()) {
        SettleAll("not-run", "the probe was interrupted");
      } else {
        Round(open);
      }
    }
    JobResult result;
    for (const std::string& name : job_.steps) result.steps.push_back(settled_.at(name));
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
    std::string announced;    // the step that was told to on_begin
    std::string unasked;
    Clock::time_point last_sign = Clock::now();
  };

  // The steps without a result that can be tried; those that cannot get theirs.
  std::vector<std::string> Open() {
    std::vector<std::string> open;
    for (const std::string& name : job_.steps) {
      if (settled_.contains(name)) continue;
      const std::string failed = FailedNeed(name);
      if (failed.empty()) {
        open.push_back(name);
      } else {
        Settle(Blank(name, "not-run", "needs " + failed + ", which failed"));
      }
    }
    return open;
  }

  // The step that `name` needs, directly or not, and that was tried and did not succeed; "" none.
  std::string FailedNeed(const std::string& name) const {
    std::string failed;
    const StepKind* step = FindStep(name);
    while (step != nullptr && !step->needs.empty()) {
      const auto need = settled_.find(std::string(step->needs));
      if (need != settled_.end() && need->second.outcome != "ok" &&
          (failed.empty() || need->second.outcome != "not-run"))
        failed = step->needs;
      step = FindStep(step->needs);
    }
    return failed;
  }

  ProbeStep Blank(const std::string& name, const std::string& outcome, const std::string& detail) const {
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

  void SettleAll(const std::string& outcome, const std::string& detail) {
    for (const std::string& name : job_.steps) {
      if (!settled_.contains(name)) Settle(Blank(name, outcome, detail));
    }
  }

  // Whose words `fresh` are, where several steps are new at once: the first that failed, else the last of
  // them.
  static size_t Speaker(const Talk& talk) {
    const std::vector<ProbeStep>& steps = talk.transcript.steps();
    for (size_t i = talk.told; i < steps.size(); ++i) {
      if (steps[i].outcome == "failed") return i;
    }
    return talk.transcript.current() || steps.empty() ? steps.size() : steps.size() - 1;
  }

  // What is new in the transcript. False: it is not worth listening to any longer.
  bool Follow(Talk& talk, const std::vector<std::string>& open) {
    const Transcript& transcript = talk.transcript;
    const size_t speaker = Speaker(talk);
    for (; talk.told < transcript.steps().size(); ++talk.told) {
      ProbeStep step = transcript.steps()[talk.told];
      if (!Contains(open, step.name)) {
        talk.unasked = step.name;
        return false;
      }
      talk.last_sign = Clock::now();
      talk.announced.clear();
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

  void Round(const std::vector<std::string>& open) {
    Talk talk;
    system::ChildRequest request{.program = program_, .arguments = job_.arguments};
    for (const std::string& name : open) {
      request.arguments.push_back("--only");
      request.arguments.push_back(name);
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

    const auto left =
        std::ranges::find_if(open, [this](const auto& name) { return !settled_.contains(name); });
    if (left == open.end() || watch_.stop.stop_requested()) return;
    const std::optional<ProbeStep>& current = talk.transcript.current();
    const bool in_step = current && Contains(open, current->name) && !settled_.contains(current->name);
    ProbeStep step = in_step ? *current : Blank(*left, "", "");
    Blame(step, end, talk.transcript, talk.unasked, limit_);
    watch.on_pause();
    step.output = talk.tail.Take();
    if (in_step && step.microseconds == 0) {
      const auto taken = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - talk.last_sign);
      step.microseconds = static_cast<uint64_t>(taken.count());
    }
    const bool never_spoke = step.outcome == "ended" && talk.transcript.steps().empty() && !current;
    Settle(std::move(step));
    // A program that does not even start is not started again for each step, nor one that takes no orders.
    if (talk.transcript.done()) {
      SettleAll("ended", "its process exited before this step");
    } else if (never_spoke) {
      SettleAll("not-run", "its program did not start");
    }
  }

  const Job& job_;
  const std::string program_;
  const std::chrono::milliseconds limit_;
  const JobWatch& watch_;
  std::map<std::string, ProbeStep> settled_;
  std::vector<snapshot::ProbedDevice> devices_;
};

}  // namespace

JobResult RunJob(const Job& job, const std::string& program, std::chrono::milliseconds step_limit,
                 const JobWatch& watch) {
  return JobRun(job, program, step_limit, watch).Run();
}

}  // namespace culprit::probe
