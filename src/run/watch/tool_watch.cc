#include "run/watch/tool_watch.h"

#include "base/text.h"
#include "run/watch/kept_text.h"

namespace culprit::watch {
namespace {

constexpr uint64_t kLongestToolReport = 64 << 20;
constexpr size_t kKeptBeginning = 384 << 10, kKeptEnd = 128 << 10;

// The first line in which the tool says what is wrong with itself.
std::string FirstTrouble(const std::string& report) {
  for (const std::string& line : base::Split(report, '\n')) {
    std::string_view words = line;
    while (words.starts_with('=')) words.remove_prefix(1);
    words = base::Trim(words);
    if (words.empty() || words == "COMPUTE-SANITIZER" || words.starts_with("[culprit]")) continue;
    return base::Printable(words.substr(0, 300));
  }
  return "no output";
}

}  // namespace

base::Result<ToolWatch> ToolWatch::Make(const system::System& machine, Tool tool,
                                        const std::vector<std::string>& command) {
  ToolWatch watch;
  watch.tool_ = tool;
  auto program = FindTool(machine, tool, command);
  if (!program) return std::unexpected(program.error());
  watch.program_ = *std::move(program);
  auto folder = system::MakeFreshDirectory();
  if (!folder) return std::unexpected(folder.error());
  watch.folder_ = *std::move(folder);
  const std::string help = tool == Tool::kDebugger ? "" : HelpOf(watch.program_);
  auto run = PlanToolRun(machine, tool, watch.program_, help, command, *watch.folder_);
  if (!run) return std::unexpected(run.error());
  watch.run_ = *std::move(run);
  return watch;
}

std::vector<record::Watched> ToolWatch::watched() const {
  const std::string name(ProgramOf(tool_));
  return {{record::Channel::kKernels, program_, ""},
          {record::Channel::kLoads, "", name + " loads its own libraries into the program"},
          {record::Channel::kCalls, "", name + " uses the same hook of the driver"}};
}

base::Result<void> ToolWatch::Finish(const system::System& machine, const std::vector<std::string>& known,
                                     system::TerminalEnd& end, record::Run& run) const {
  const auto report = system::ReadWholeFile(machine, run_.report, kLongestToolReport);
  if (report && !report->empty()) {
    KeptText kept(kKeptBeginning, kKeptEnd);
    kept.Add(*report);
    run.texts.push_back(kept.Take(TextOf(tool_), known));
  }
  if (!run_.tells_end) return {};
  if (const auto own = EndOfProgram(machine, run_)) {
    end.exit_status = own->exit_status;
    end.signal_number = own->signal;
    end.signal = own->signal == 0 ? "" : system::NameOfSignal(own->signal);
    return {};
  }
  if (!end.interrupted.empty() || !end.signal.empty()) return {};
  if (tool_ == Tool::kDebugger && report && report->find("received signal ") != std::string::npos) {
    // It was stopped, and then the debugger ended it.
    end.exit_status = 0;
    end.signal_number = 9;
    end.signal = system::NameOfSignal(end.signal_number);
    return {};
  }
  return base::Fail(base::ErrorCode::kUnsupported,
                    std::string(ProgramOf(tool_)) +
                        " did not finish running the program: " + FirstTrouble(report.value_or("")));
}

}  // namespace culprit::watch
