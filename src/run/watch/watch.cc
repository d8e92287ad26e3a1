#include "run/watch/watch.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>

#include "base/product_version.h"
#include "base/text.h"
#include "run/watch/attempts.h"
#include "run/watch/cuda_watch.h"
#include "run/watch/kept_text.h"
#include "run/watch/process_events.h"
#include "run/watch/reach.h"
#include "run/watch/threads.h"
#include "run/watch/tool_watch.h"
#include "run/watch/witnesses.h"
#include "snapshot/record/redact.h"

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
  for (record::Thread& thread : run.threads) thread.name = record::HideSecrets(thread.name, known);
}

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

}  // namespace

base::Result<Seen> Watch(const system::System& machine, const Request& request,
                         const std::function<void(std::string_view)>& on_output) {
  const std::vector<std::string> known = record::SecretValues(machine.Environment());
  Seen seen;
  record::Run& run = seen.run = NewRun(machine, record::HideSecrets(request.command, known));
  const system::FoundProgram found =
      request.command.empty() ? system::FoundProgram{} : system::FindCommand(request.command.front());
  const Reach reach = found.path.empty() ? Reach{} : ReachOf(machine, found.path);
  auto made = ToolFor(machine, request, found);
  if (!made) return std::unexpected(made.error());
  std::optional<ToolWatch>& tool = *made;
  Witnesses witnesses(machine, request, reach, tool ? tool->watched() : std::vector<record::Watched>{});
  KeptText output;
  const int64_t time_of_day = LocalTimeOfDay();
  int64_t command = 0;
  ProcessEvents events(std::chrono::steady_clock::now());
  const bool hears_events = request.loads && !tool && system::WhyNoEvents().empty();
  auto end = system::RunInTerminal(
      {.command = tool ? tool->command() : request.command, .variables = witnesses.variables()},
      {.on_output =
           [&](std::string_view bytes) {
             output.Add(bytes);
             if (on_output) on_output(bytes);
           },
       .on_start = [&](int64_t process) { command = process; },
       .on_interrupt = [&](int64_t process, std::string_view) { run.threads = ThreadsOf(machine, process); },
       .on_event = hears_events ? [&](const system::ProcessEvent& event) { events.Add(event); }
                                : std::function<void(const system::ProcessEvent&)>()});
  witnesses.LeaveWhatIsNeeded(machine);
  if (!end) return std::unexpected(end.error());
  if (tool && end->started) {
    if (const auto done = tool->Finish(machine, known, *end, run); !done)
      return std::unexpected(done.error());
  }
  seen.end = *end;
  NoteEnd(*end, known, run);
  run.texts.push_back(output.Take(record::Channel::kOutput, known));
  if (!end->started) return seen;

  const auto started = std::chrono::duration_cast<std::chrono::nanoseconds>(end->start.time_since_epoch());
  JournalContents journal = witnesses.Journal(machine, static_cast<uint64_t>(started.count()));
  run.processes = hears_events ? events.Take() : std::move(journal.processes);
  run.lost_events = journal.lost_events;
  ForgetOurOwn(run);
  run.watched = {{record::Channel::kOutput, end->terminal ? "pseudo-terminal" : "pipe", ""}};
  if (const auto loads = WatchedLoads(run, command, hears_events, witnesses.audits(), reach, journal.watched))
    run.watched.push_back(*loads);
  for (const auto& words : {journal.watched, witnesses.watched()})
    run.watched.insert(run.watched.end(), words.begin(), words.end());
  for (record::Process& process : run.processes) {
    process.arguments = record::HideSecrets(process.arguments, known);
    LookUp(machine, process);
  }
  Order(run, command, reach.program);
  if (!witnesses.directory().empty()) ReadLogs(machine, witnesses.directory(), known, time_of_day, run);
  QuoteErrors(run);
  return seen;
}

}  // namespace culprit::watch
