#include "run/watch/process_events.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/windows/exception.h"

namespace culprit::watch {
namespace {

constexpr size_t kMostProcesses = 4096, kMostLoads = 16384, kMostFrames = 32;

const record::Loaded* Holder(const record::Process& process, uint64_t address) {
  for (auto loaded = process.loads.rbegin(); loaded != process.loads.rend(); ++loaded)
    if (!loaded->closed && address >= loaded->base && address < loaded->end) return &*loaded;
  return nullptr;
}

record::Loaded Mapped(const system::ProcessEvent& event, uint64_t at) {
  record::Loaded loaded;
  loaded.at = at;
  loaded.path = event.path;
  loaded.name = base::BaseName(event.path);
  loaded.dlopen = event.running;
  loaded.base = event.base;
  loaded.end = event.end;
  return loaded;
}

}  // namespace

record::Process* ProcessEvents::Find(int64_t id) {
  const auto found = std::ranges::find(processes_, id, &record::Process::id);
  return found == processes_.end() ? nullptr : &*found;
}

void ProcessEvents::Add(const system::ProcessEvent& event) {
  using Kind = system::ProcessEvent::Kind;
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(event.at - start_).count();
  const uint64_t at = since > 0 ? static_cast<uint64_t>(since) : 0;
  record::Process* process = Find(event.process);
  if (event.kind == Kind::kStart) {
    if (processes_.size() >= kMostProcesses) return;
    record::Process& started = processes_.emplace_back();
    started.id = event.process;
    started.parent = event.parent;
    started.at = at;
    started.program = event.path;
    started.loads.push_back(Mapped(event, at));
    return;
  }
  if (process == nullptr) return;
  if (event.kind == Kind::kLoad) Load(event, at, *process);
  if (event.kind == Kind::kCrash) Crash(event, at, *process);
  if (event.kind == Kind::kUnload) {
    const auto loaded = std::ranges::find_if(
        process->loads, [&](const record::Loaded& one) { return one.base == event.base && !one.closed; });
    if (loaded != process->loads.end()) loaded->closed = true;
  }
  if (event.kind == Kind::kNotDelayed) {
    record::Request request;
    request.at = at;
    request.thread = event.thread;
    request.name = event.path;
    request.dlopen = true;
    process->failed_requests.push_back(std::move(request));
  }
}

void ProcessEvents::Load(const system::ProcessEvent& event, uint64_t at, record::Process& process) {
  if (!event.path.empty() && process.loads.size() < kMostLoads) process.loads.push_back(Mapped(event, at));
}

void ProcessEvents::Crash(const system::ProcessEvent& event, uint64_t at, record::Process& process) {
  record::Crash crash;
  crash.at = at;
  crash.thread = event.thread;
  crash.signal = base::WindowsExceptionName(event.code);
  crash.code = static_cast<int64_t>(event.code);
  crash.address = event.address;
  for (size_t i = 0; i < event.frames.size() && crash.frames.size() < kMostFrames; ++i) {
    const record::Loaded* holder = Holder(process, event.frames[i]);
    if (holder == nullptr && i > 0) continue;  // a word of the stack that is no address of code
    record::Frame frame;
    frame.address = event.frames[i];
    frame.guessed = i > 0;
    if (holder != nullptr) {
      frame.object = holder->path;
      frame.offset = frame.address - holder->base;
    }
    crash.frames.push_back(std::move(frame));
  }
  process.crashes.push_back(std::move(crash));
}

}  // namespace culprit::watch
