// A record -> its events over time, for the timeline of a page.
#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "picture/picture.h"

namespace culprit::picture {
namespace {

using report::EventKind;
using report::TimelineEvent;

constexpr size_t kEventsShown = 5000;

double Seconds(uint64_t microseconds) { return static_cast<double>(microseconds) / 1e6; }

std::string NameOf(const record::Process& process) {
  return std::string(base::BaseName(process.program)) + " (" + std::to_string(process.id) + ")";
}

void AddProcess(std::vector<TimelineEvent>& events, const record::Process& process) {
  const std::string name = NameOf(process);
  const auto add = [&](uint64_t at, EventKind kind, std::string text, bool bad) {
    events.push_back({Seconds(at), name, kind, std::move(text), bad});
  };
  add(process.at, EventKind::kStart, process.program + (process.forked ? " (forked)" : ""), false);
  for (const record::Loaded& load : process.loads) add(load.at, EventKind::kLoad, load.path, false);
  // Programs try many names; only failures that the output mentions matter.
  for (const record::Request& request : process.failed_requests)
    add(request.at, EventKind::kLoadFailed,
        request.name + (request.error.empty() ? "" : ": " + request.error), !request.error.empty());
  for (const record::FailedCall& call : process.failed_calls) {
    const std::string status = call.status.empty() ? std::to_string(call.code) : call.status;
    add(call.at, EventKind::kCallFailed,
        call.function + " returned " + status + (call.detail.empty() ? "" : ", " + call.detail) +
            (call.count > 1 ? " (" + std::to_string(call.count) + " times)" : ""),
        true);
  }
  for (const record::OpenCall& call : process.open_calls)
    add(call.since, EventKind::kCall, call.function + " had not returned when the run ended", true);
  for (const record::Crash& crash : process.crashes) {
    std::string text = crash.signal;
    if (!crash.frames.empty() && !crash.frames.front().object.empty())
      text += " in " + crash.frames.front().object;
    add(crash.at, EventKind::kCrash, text, true);
  }
}

std::string HowItEnded(const record::Run& run) {
  if (!run.signal.empty()) return "killed by " + run.signal;
  return "exit status " + std::to_string(run.exit_status);
}

}  // namespace

std::vector<TimelineEvent> Timeline(const record::Run& run) {
  std::vector<TimelineEvent> events;
  for (const record::Process& process : run.processes) AddProcess(events, process);
  const std::string first = run.processes.empty() ? "" : NameOf(run.processes.front());
  if (!run.interrupted.empty())
    events.push_back({Seconds(run.interrupted_at), first, EventKind::kInterrupted, run.interrupted, true});
  events.push_back({Seconds(run.duration), first, EventKind::kEnd, HowItEnded(run), run.failed()});
  // Events at the same time keep the order of the record. (std::stable_sort of libstdc++ 12 uses what C++20
  // removed.)
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < events.size(); ++i) order.emplace_back(events[i].seconds, i);
  std::ranges::sort(order);
  // If there are too many, drop loads first: they are also in the picture.
  const bool bad_only = events.size() > kEventsShown;
  std::vector<TimelineEvent> sorted;
  for (const auto& [seconds, i] : order) {
    if (sorted.size() == kEventsShown) break;
    if (!bad_only || events[i].kind != EventKind::kLoad) sorted.push_back(std::move(events[i]));
  }
  return sorted;
}

}  // namespace culprit::picture
