#include "run/watch/journal/reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "base/text.h"
#include "run/watch/journal/crash.h"
#include "run/watch/journal/events.h"
#include "run/witness/journal.h"

namespace culprit::watch {
namespace {

constexpr size_t kMaxProcesses = 4096;
constexpr size_t kMaxCrashes = 64;
constexpr size_t kMaxForks = 64;    // generations
constexpr size_t kMaxReloads = 16;  // of one file, that are looked at

// One process while its events come in.
struct Known {
  size_t index = 0;                          // in JournalContents::processes
  std::optional<size_t> ancestor;            // the process whose memory it began with
  size_t inherited = 0;                      // so many of its loads
  std::map<int64_t, record::Request> asked;  // by thread: what nothing was opened for yet
  bool preloading = false;
  std::vector<uint64_t> bias;                               // of each load
  std::map<std::string, std::vector<size_t>> by_real_path;  // loads
  std::map<uint64_t, size_t> by_base;                       // the latest load at an address
};

class Reader {
 public:
  Reader(uint64_t started, const JournalFiles& files) : started_(started), files_(files) {}

  void See(const JournalEvent& event);
  void SeeOpenCall(const JournalSlot& slot);
  JournalContents Finish();

 private:
  uint64_t Since(uint64_t at) const { return at > started_ ? (at - started_) / 1000 : 0; }
  record::Process& Of(const Known& known) { return contents_.processes[known.index]; }

  Known* Add(const JournalEvent& event);
  Known* Find(const JournalEvent& event);
  void Start(const JournalEvent& event);
  void Fork(const JournalEvent& event);
  void Search(Known& known, const JournalEvent& event);
  void Open(Known& known, const JournalEvent& event);
  void Close(Known& known, const JournalEvent& event);
  void Crash(Known& known, const JournalEvent& event);
  void BlameFile(Known& known, const record::Crash& crash);
  void Call(Known& known, const JournalEvent& event);
  void Watching(const JournalEvent& event);
  // A request that nothing was opened for.
  void GiveUp(Known& known, record::Request request);
  void GiveUpAll(Known& known);
  bool IsLoaded(const Known& known, const std::string& path);
  template <typename Visit>
  void ForEachAncestor(const Known& known, Visit&& visit);
  const std::string& RealPath(const std::string& path);

  uint64_t started_;
  const JournalFiles& files_;
  JournalContents contents_;
  std::vector<Known> known_;           // as contents_.processes
  std::map<int64_t, size_t> current_;  // by pid: the latest process of that number
  std::map<std::string, std::string> real_paths_;
  size_t crashes_ = 0;
};

const std::string& Reader::RealPath(const std::string& path) {
  const auto [found, fresh] = real_paths_.try_emplace(path);
  if (fresh && files_.real_path && !path.empty()) found->second = files_.real_path(path);
  return found->second;
}

Known* Reader::Add(const JournalEvent& event) {
  if (known_.size() >= kMaxProcesses) return nullptr;
  if (const auto before = current_.find(event.process); before != current_.end())
    GiveUpAll(known_[before->second]);
  contents_.processes.push_back({.id = event.process, .at = Since(event.at)});
  known_.push_back({.index = known_.size()});
  current_[event.process] = known_.size() - 1;
  return &known_.back();
}

// A process that was not introduced: its first words are lost, or only the CUDA library tells of it.
Known* Reader::Find(const JournalEvent& event) {
  const auto found = current_.find(event.process);
  return found != current_.end() ? &known_[found->second] : Add(event);
}

void Reader::Start(const JournalEvent& event) {
  Known* known = Add(event);
  if (known == nullptr) return;
  record::Process& process = Of(*known);
  process.parent = static_cast<int32_t>(event.Number(0));
  process.program = event.Text(1);
  for (size_t i = 2; i < event.fields.size(); ++i) process.arguments.emplace_back(event.fields[i]);
}

void Reader::Fork(const JournalEvent& event) {
  const auto origin = current_.find(static_cast<int32_t>(event.Number(0)));
  // A child of vfork writes into its parent's memory who it is; so the parent, coming back, seems new.
  if (origin != current_.end() && current_.contains(event.process)) {
    const auto& ancestor = known_[origin->second].ancestor;
    if (ancestor && *ancestor == current_[event.process]) return;
  }
  const std::optional<size_t> from = origin != current_.end() ? std::optional(origin->second) : std::nullopt;
  Known* known = Add(event);
  if (known == nullptr) return;
  record::Process& process = Of(*known);
  process.forked = true;
  process.parent = static_cast<int32_t>(event.Number(event.Number(1) != 0 ? 1 : 0));
  if (!from) return;
  known->ancestor = from;
  known->inherited = contents_.processes[*from].loads.size();
  process.program = contents_.processes[*from].program;
  process.arguments = contents_.processes[*from].arguments;
}

void Reader::Search(Known& known, const JournalEvent& event) {
  const std::string_view stage = event.Text(0);
  if (stage != "request") {
    const auto asked = known.asked.find(event.thread);
    if (asked == known.asked.end()) return;
    asked->second.attempts.push_back(
        {.path = std::string(event.Text(1)), .via = base::FromWord<base::Via>(stage), .outcome = {}});
    return;
  }
  record::Request request{.at = Since(event.at),
                          .thread = event.thread,
                          .name = std::string(event.Text(1)),
                          .requester = std::string(event.Text(2)),
                          .dlopen = event.Text(3) == "dlopen",
                          .attempts = {},
                          .object = {},
                          .error = {}};
  // A name with a directory in it is opened as it stands.
  if (request.name.contains('/'))
    request.attempts.push_back({.path = request.name, .via = base::Via::kPath, .outcome = {}});
  known.preloading = event.Text(3) == "preload";
  if (auto asked = known.asked.extract(event.thread)) GiveUp(known, std::move(asked.mapped()));
  known.asked.insert_or_assign(event.thread, std::move(request));
}

void Reader::Open(Known& known, const JournalEvent& event) {
  record::Process& process = Of(known);
  record::Loaded loaded{.at = Since(event.at),
                        .path = std::string(event.Text(0)),
                        .base = event.Number(1),
                        .end = event.Number(2)};
  loaded.separate = event.Number(3) != 0;
  if (loaded.path.empty()) loaded.path = process.program;
  if (auto asked = known.asked.extract(event.thread)) {
    record::Request& request = asked.mapped();
    loaded.name = request.name;
    loaded.requester = request.requester;
    loaded.dlopen = request.dlopen;
    if (known.preloading) {
      loaded.via = base::Via::kLdPreload;
    } else if (!request.attempts.empty()) {
      loaded.via = request.attempts.back().via;
    }
  }
  if (loaded.end == 0 && files_.extent) {
    const uint64_t extent = files_.extent(loaded.path);
    if (extent != 0) loaded.end = event.Number(4) + extent;
  }
  const std::string& real = RealPath(loaded.path);
  if (real != loaded.path) loaded.real_path = real;
  if (!real.empty()) known.by_real_path[real].push_back(process.loads.size());
  known.by_base[loaded.base] = process.loads.size();
  process.loads.push_back(std::move(loaded));
  known.bias.push_back(event.Number(4));
}

void Reader::Close(Known& known, const JournalEvent& event) {
  record::Process& process = Of(known);
  const auto latest = known.by_base.find(event.Number(1));
  if (latest == known.by_base.end() || process.loads[latest->second].path != event.Text(0)) return;
  process.loads[latest->second].closed = true;
  known.by_base.erase(latest);
}

// What a process has in its memory: what it loaded itself, and what its ancestors had loaded when it was
// forked.
template <typename Visit>
void Reader::ForEachAncestor(const Known& known, Visit&& visit) {
  size_t count = Of(known).loads.size();
  const Known* at = &known;
  for (size_t i = 0; i < kMaxForks; ++i) {
    visit(*at, count);
    if (!at->ancestor) return;
    count = at->inherited;
    at = &known_[*at->ancestor];
  }
}

bool Reader::IsLoaded(const Known& known, const std::string& path) {
  const std::string& real = RealPath(path);
  if (real.empty()) return false;
  bool found = false;
  ForEachAncestor(known, [&](const Known& one, size_t count) {
    const auto loads = one.by_real_path.find(real);
    if (loads == one.by_real_path.end()) return;
    for (const size_t i : loads->second | std::views::reverse | std::views::take(kMaxReloads))
      found = found || (i < count && !Of(one).loads[i].closed);
  });
  return found;
}

void Reader::GiveUp(Known& known, record::Request request) {
  if (!request.attempts.empty() && IsLoaded(known, request.attempts.back().path)) return;
  Of(known).failed_requests.push_back(std::move(request));
}

void Reader::GiveUpAll(Known& known) {
  for (auto& [thread, request] : std::exchange(known.asked, {})) GiveUp(known, std::move(request));
}

void Reader::Crash(Known& known, const JournalEvent& event) {
  if (crashes_++ >= kMaxCrashes) return;
  std::vector<MappedObject> objects;
  ForEachAncestor(known, [&](const Known& one, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const record::Loaded& loaded = Of(one).loads[i];
      if (!loaded.closed && !loaded.path.empty())
        objects.push_back({loaded.path, loaded.base, loaded.end, one.bias[i]});
    }
  });
  record::Crash crash = CrashOf(event, objects, files_);
  crash.at = Since(event.at);
  BlameFile(known, crash);
  Of(known).crashes.push_back(std::move(crash));
}

// A file that is cut short or damaged kills the loader while it is being opened.
void Reader::BlameFile(Known& known, const record::Crash& crash) {
  const auto asked = known.asked.find(crash.thread);
  if (asked == known.asked.end() || asked->second.attempts.empty() || crash.frames.empty()) return;
  const bool in_loader = base::BaseName(crash.frames[0].object).starts_with("ld");
  const std::string& path = asked->second.attempts.back().path;
  if (!in_loader || RealPath(path).empty()) return;  // that search had ended long ago
  asked->second.killed_by = crash.signal;
  asked->second.error = path + ": the loader was killed by " + crash.signal + " while it opened this file";
}

void Reader::Call(Known& known, const JournalEvent& event) {
  const auto kernel = [&](size_t field) {
    const std::string name(event.Text(field));
    return files_.readable && !name.empty() ? files_.readable(name) : name;
  };
  record::FailedCall call{
      .at = Since(event.at),
      .thread = event.thread,
      .api = base::FromWord<base::CudaApi>(event.Text(0)).value_or(base::CudaApi::kUnknown),
      .function = std::string(event.Text(1)),
      .code = static_cast<int64_t>(event.Number(2)),
      .status = {},
      .detail = kernel(3),
      .last_kernel = kernel(4),
      .said = {},
      .source = base::CallSource::kCupti};
  std::vector<record::FailedCall>& calls = Of(known).failed_calls;
  if (!calls.empty()) {
    record::FailedCall& last = calls.back();
    if (last.thread == call.thread && last.api == call.api && last.function == call.function &&
        last.code == call.code && last.detail == call.detail) {
      ++last.count;
      return;
    }
  }
  calls.push_back(std::move(call));
}

void Reader::Watching(const JournalEvent& event) {
  record::Watched watched{base::FromWord<record::Channel>(event.Text(0)).value_or(record::Channel::kUnknown),
                          std::string(event.Text(1)), std::string(event.Text(2))};
  std::vector<record::Watched>& all = contents_.watched;
  if (all.size() < 64 && std::ranges::find(all, watched) == all.end()) all.push_back(std::move(watched));
}

void Reader::See(const JournalEvent& event) {
  if (event.kind == kCulpritStart) return Start(event);
  if (event.kind == kCulpritFork) return Fork(event);
  if (event.kind == kCulpritWatching) Watching(event);
  Known* known = Find(event);
  if (known == nullptr) return;
  switch (event.kind) {
    case kCulpritSearch:
      return Search(*known, event);
    case kCulpritOpen:
      return Open(*known, event);
    case kCulpritClose:
      return Close(*known, event);
    case kCulpritCrash:
      return Crash(*known, event);
    case kCulpritCall:
      return Call(*known, event);
    default:
      return;
  }
}

void Reader::SeeOpenCall(const JournalSlot& slot) {
  const auto found = current_.find(slot.process);
  if (found == current_.end()) return;
  contents_.processes[found->second].open_calls.push_back(
      {.since = Since(slot.since),
       .thread = slot.thread,
       .api = slot.function.starts_with("cuda") ? base::CudaApi::kRuntime : base::CudaApi::kDriver,
       .function = std::string(slot.function)});
}

JournalContents Reader::Finish() {
  for (Known& known : known_) GiveUpAll(known);
  return std::move(contents_);
}

}  // namespace

base::Result<JournalContents> ReadJournal(std::string_view bytes, uint64_t started,
                                          const JournalFiles& files) {
  if (!IsJournal(bytes)) return base::Fail(base::ErrorCode::kBadFormat, "the journal of the run is damaged");
  Reader reader(started, files);
  const uint64_t lost = ForEachEvent(bytes, [&](const JournalEvent& event) { reader.See(event); });
  for (const JournalSlot& slot : OpenSlots(bytes)) reader.SeeOpenCall(slot);
  JournalContents contents = reader.Finish();
  contents.lost_events = lost;
  return contents;
}

}  // namespace culprit::watch
