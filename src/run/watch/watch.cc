#include "run/watch/watch.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <optional>

#include "base/product_version.h"
#include "base/text.h"
#include "run/watch/attempts.h"
#include "run/watch/before_start.h"
#include "run/watch/cuda_watch.h"
#include "run/watch/kept_text.h"
#include "run/watch/process_events.h"
#include "run/watch/reach.h"
#include "run/watch/threads.h"
#include "run/watch/tool_watch.h"
#include "run/watch/witnesses.h"
#include "snapshot/secrets/hide.h"

namespace culprit::watch {
namespace {

constexpr uint64_t kMostOfALog = 16 << 20;

std::string NowInWords() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts = {};
#ifdef _WIN32
  gmtime_s(&parts, &now);
#else
  gmtime_r(&now, &parts);
#endif
  char text[32];
  return std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts) > 0 ? text : "";
}

// Only the end of a long log: the last failure is there.
std::string ReadLog(const system::System& machine, const std::string& path) {
  const auto file = machine.Open(path);
  if (!file || !file->bytes) return "";
  const uint64_t size = file->bytes->size(), kept = std::min(size, kMostOfALog);
  std::string text(static_cast<size_t>(kept), '\0');
  const auto got = file->bytes->ReadAt(size - kept, std::as_writable_bytes(std::span(text)));
  text.resize(got ? *got : 0);
  return text;
}

void ReadLogs(const system::System& machine, const std::string& directory,
              const std::vector<std::string>& known, int64_t started, record::Run& run) {
  std::vector<LoggedCall> calls;
  for (const CudaLog& log : FindLogs(machine, directory)) {
    const std::string text = ReadLog(machine, log.path);
    if (text.empty()) continue;
    KeptText kept;
    kept.Add(text);
    run.texts.push_back(kept.Take(log.name, known));
    const std::vector<LoggedCall> some = CallsOf(log, text, started);
    calls.insert(calls.end(), some.begin(), some.end());
  }
  AddLoggedCalls(run, calls);
}

// Puts the command's own process first.
void Order(record::Run& run, int64_t command, const std::string& program) {
  const auto own = std::ranges::find(run.processes, command, &record::Process::id);
  if (own != run.processes.end()) {
    std::rotate(run.processes.begin(), own, own + 1);
    return;
  }
  record::Process process;
  process.id = command;
  process.program = program;
  process.arguments = run.command;
  run.processes.insert(run.processes.begin(), std::move(process));
}

// Quotes the loader's error for each failed load, if the program printed it.
void QuoteErrors(record::Run& run) {
  std::string output;
  for (const record::Text& text : run.texts) {
    if (text.name == record::Channel::kOutput) output = text.beginning + "\n" + text.end;
  }
  for (record::Process& process : run.processes) {
    for (record::Request& request : process.failed_requests) {
      const std::string name(base::BaseName(request.name));
      for (size_t at = output.find(name + ": "); at != std::string::npos && !name.empty();
           at = output.find(name + ": ", at + 1)) {
        const std::string line = output.substr(at, std::min(output.find('\n', at), output.size()) - at);
        if (line.find("cannot open") == std::string::npos && line.find("wrong ELF") == std::string::npos &&
            line.find("invalid ELF") == std::string::npos && line.find("too short") == std::string::npos)
          continue;
        request.error = std::string(base::Trim(line)).substr(0, 500);
        break;
      }
    }
  }
}

record::Run NewRun(const system::System& machine, std::vector<std::string> command) {
  record::Run run;
  run.tool_version = base::ProductVersion();
  run.started = NowInWords();
  run.command = std::move(command);
  run.working_directory = machine.WorkingDirectory();
  return run;
}

base::Result<std::optional<ToolWatch>> ToolFor(const system::System& machine, const Request& request,
                                               const system::FoundProgram& found) {
  if (request.tool == Tool::kNone || found.path.empty()) return std::nullopt;
  auto tool = ToolWatch::Make(machine, request.tool, request.command);
  if (!tool) return std::unexpected(tool.error());
  return *std::move(tool);
}

void NoteEnd(const system::TerminalEnd& end, const std::vector<std::string>& known, record::Run& run) {
  run.duration = end.duration;
  run.exit_status = end.exit_status;
  run.signal = end.signal;
  // A command that still succeeded was not ended by the interrupt.
  if (end.exit_status != 0 || !end.signal.empty()) {
    run.interrupted = end.interrupted;
    run.interrupted_at = end.interrupted_at;
  }
  if (run.interrupted.empty()) run.threads.clear();
  for (record::Thread& thread : run.threads) thread.name = snapshot::HideSecrets(thread.name, known);
}

// About the start of the command.
struct Began {
  int64_t time_of_day = 0;
  bool hears_events = false;
  int64_t command = 0;  // its process
  std::chrono::steady_clock::time_point start = {};
};

// How the loads of the command itself were seen; nothing if a witness already said why it sees none.
std::optional<record::Watched> WatchedLoads(const record::Run& run, int64_t command, bool hears_events,
                                            bool audits, const Reach& reach,
                                            const std::vector<record::Watched>& told) {
  const auto own = std::ranges::find(run.processes, command, &record::Process::id);
  if (own != run.processes.end() && !own->loads.empty())
    return record::Watched{record::Channel::kLoads, hears_events ? "debug events" : "LD_AUDIT", ""};
  const bool explained =
      std::ranges::find(told, record::Channel::kLoads, &record::Watched::what) != told.end();
  if (!audits || !reach.why_not.empty() || explained) return std::nullopt;
  return record::Watched{record::Channel::kLoads, "",
                         "the loader of " + reach.program + " did not load culprit's audit library"};
}

// What the witnesses say of a command that has ended.
void ReadWitnesses(const system::System& machine, const Witnesses& witnesses, const Reach& reach,
                   const std::vector<std::string>& known, const Began& began, record::Run& run) {
  const auto started = std::chrono::duration_cast<std::chrono::nanoseconds>(began.start.time_since_epoch());
  JournalContents journal = witnesses.Journal(machine, static_cast<uint64_t>(started.count()));
  if (!began.hears_events) run.processes = std::move(journal.processes);
  run.lost_events = journal.lost_events;
  ForgetOurOwn(run);
  if (const auto loads =
          WatchedLoads(run, began.command, began.hears_events, witnesses.audits(), reach, journal.watched))
    run.watched.push_back(*loads);
  for (const auto& words : {journal.watched, witnesses.watched()})
    run.watched.insert(run.watched.end(), words.begin(), words.end());
  for (record::Process& process : run.processes) {
    process.arguments = snapshot::HideSecrets(process.arguments, known);
    LookUp(machine, process);
  }
  Order(run, began.command, reach.program);
  if (!witnesses.directory().empty()) ReadLogs(machine, witnesses.directory(), known, began.time_of_day, run);
  QuoteErrors(run);
}

}  // namespace

base::Result<Seen> Watch(const Machine& shared, const Request& request,
                         const std::function<void(std::string_view)>& on_output) {
  const system::System& machine = *shared;
  const std::vector<std::string> known = snapshot::SecretValues(machine.Environment());
  Seen seen;
  record::Run& run = seen.run = NewRun(machine, snapshot::HideSecrets(request.command, known));
  const Looked looked = LookBeforeStart(shared, request);
  auto made = ToolFor(machine, request, looked.found);
  if (!made) return std::unexpected(made.error());
  std::optional<ToolWatch>& tool = *made;
  const std::shared_ptr<Witnesses> witnesses =
      LayOut(shared, request, looked, tool ? tool->watched() : std::vector<record::Watched>{});
  KeptText output;
  Began began{.time_of_day = LocalTimeOfDay(),
              .hears_events = request.loads && !tool && system::WhyNoEvents().empty()};
  ProcessEvents events(std::chrono::steady_clock::now());
  auto end = system::RunInTerminal(
      {.command = tool ? tool->command() : request.command,
       .variables = witnesses->variables(),
       .found = tool ? std::nullopt : std::optional(looked.found)},
      {.on_output =
           [&](std::string_view bytes) {
             output.Add(bytes);
             if (on_output) on_output(bytes);
           },
       .on_start = [&](int64_t process) { began.command = process; },
       .on_interrupt = [&](int64_t process, std::string_view) { run.threads = ThreadsOf(machine, process); },
       .on_event = began.hears_events ? [&](const system::ProcessEvent& event) { events.Add(event); }
                                      : std::function<void(const system::ProcessEvent&)>()});
  witnesses->LeaveWhatIsNeeded(machine);
  if (!end) return std::unexpected(end.error());
  if (tool && end->started) {
    if (const auto done = tool->Finish(machine, known, *end, run); !done)
      return std::unexpected(done.error());
  }
  seen.end = *end;
  NoteEnd(*end, known, run);
  run.texts.push_back(output.Take(record::Channel::kOutput, known));
  if (!end->started) return seen;
  began.start = end->start;
  if (began.hears_events) run.processes = events.Take();
  run.watched = {{record::Channel::kOutput, end->terminal ? "pseudo-terminal" : "pipe", ""}};
  try {
    ReadWitnesses(machine, *witnesses, looked.reach, known, began, run);
  } catch (const std::exception& error) {  // the command has run: its status must not be lost
    run.watched.push_back({record::Channel::kLoads, "", std::string("internal error: ") + error.what()});
  }
  return seen;
}

}  // namespace culprit::watch
