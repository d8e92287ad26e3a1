#include "run/watch/tool_run.h"

#include <chrono>

#include "base/shell_word.h"
#include "base/text.h"
#include "base/windows/path.h"
#include "system/child.h"

namespace culprit::watch {
namespace {

constexpr uint64_t kLongestEnd = 64;
constexpr uint64_t kLongestReport = 64 << 20;
constexpr int kStops = 3;  // after so many the debugger lets go

std::string PercentTwice(std::string_view path) {  // --log-file replaces what stands behind '%'
  std::string written;
  for (const char c : path) written += c == '%' ? std::string("%%") : std::string(1, c);
  return written;
}

bool IsFile(const system::System& machine, const std::string& path) {
  const auto status = machine.Stat(path);
  return status && status->type == system::FileType::kRegular;
}

std::vector<std::string> SanitizerOptions(Tool tool, std::string_view help, const std::string& report) {
  std::vector<std::string> options = {"--tool",
                                      tool == Tool::kRacecheck   ? "racecheck"
                                      : tool == Tool::kInitcheck ? "initcheck"
                                      : tool == Tool::kSynccheck ? "synccheck"
                                                                 : "memcheck",
                                      "--log-file", PercentTwice(report)};
  const auto add = [&](const std::string& name, const std::string& value) {
    if (help.find(name + " ") == std::string_view::npos) return;
    options.push_back(name);
    options.push_back(value);
  };
  add("--target-processes", "all");  // the program stands behind a shell, and may start others
  add("--require-cuda-init", "no");  // a program that fails before its first CUDA call ends as it does
  add("--launch-timeout", "0");      // a slow import is no reason to give up
  add("--print-limit", "1000");      // there may be a second kind of error behind a hundred threads
  add("--strip-paths", "no");
  return options;
}

base::Result<ToolRun> PlanSanitizer(const system::System& machine, Tool tool, const std::string& program,
                                    std::string_view help, const std::vector<std::string>& command,
                                    system::FreshDirectory& folder) {
  ToolRun run;
  run.report = base::JoinPath(folder.path(), "compute-sanitizer.txt");
  if (machine.platform() == base::Platform::kWindows) {
    run.tells_end = false;
    run.command = {base::ToWindowsPath(program)};
    for (std::string& option : SanitizerOptions(tool, help, base::ToWindowsPath(run.report)))
      run.command.push_back(std::move(option));
    run.command.insert(run.command.end(), command.begin(), command.end());
    return run;
  }
  run.end = base::JoinPath(folder.path(), "end");
  // A signal from the terminal reaches the program as well as this shell, which then still has to write; what
  // the shell has to say of a crash is not the program's.
  const auto inner =
      folder.Write("program", "trap : HUP INT QUIT TERM\nexec 9>&2 2>/dev/null\n(exec 2>&9 9>&-; exec " +
                                  base::ShellWords(command) + ")\nend=$?\necho $end >" +
                                  base::ShellWord(run.end) + "\nexit $end\n");
  if (!inner) return std::unexpected(inner.error());
  std::vector<std::string> options = SanitizerOptions(tool, help, run.report);
  // The wheel keeps its libraries in ../lib, but the tool looks for them beside itself, or for all of them
  // and one program in one other folder.
  const std::string bin(base::DirName(program));
  const std::string lib = base::JoinPath(base::DirName(bin), "lib");
  const std::string launcher = "TreeLauncherSubreaper", injected = "libInterceptorInjectionTarget.so";
  std::string links;
  if (help.find("--injection-path ") != std::string_view::npos &&
      !IsFile(machine, base::JoinPath(bin, injected)) && IsFile(machine, base::JoinPath(lib, injected))) {
    if (!IsFile(machine, base::JoinPath(bin, launcher)))
      return base::Fail(base::ErrorCode::kUnsupported,
                        program + " is incomplete: " + launcher +
                            " is missing from its package, and it needs that file to start programs; use the "
                            "one from a CUDA toolkit");
    const std::string parts = base::JoinPath(folder.path(), "parts");
    links = "mkdir " + base::ShellWord(parts) + " && ln -s " + base::ShellWord(bin) + "/* " +
            base::ShellWord(lib) + "/*.so " + base::ShellWord(parts) + " 2>/dev/null\n";
    options.insert(options.end(), {"--injection-path", parts});
  }
  std::vector<std::string> all = {program};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), {"/bin/sh", *inner});
  if (links.empty()) {
    run.command = std::move(all);
    return run;
  }
  const auto outer = folder.Write("start", links + "exec " + base::ShellWords(all) + "\n");
  if (!outer) return std::unexpected(outer.error());
  run.command = {"/bin/sh", *outer};
  return run;
}

// One command each: an error in one (a GPU that is not there) does not keep the others.
std::vector<std::string> DebuggerCommands() {
  std::vector<std::string> commands = {
      "set pagination off", "set confirm off", "set width 0", "set height 0", "set print thread-events off",
      "set print inferior-events off", "set debuginfod enabled off", "set disable-randomization off",
      // Programs use signals for themselves; these two kinds tell something.
      "handle all nostop noprint pass", "handle SIGSEGV SIGBUS SIGILL SIGFPE SIGABRT stop print pass",
      "handle SIGINT stop print pass", "run"};
  for (int stop = 0; stop < kStops; ++stop) {
    for (const char* command :
         {"echo \\n[culprit] kernels\\n", "info cuda kernels", "echo \\n[culprit] stack\\n", "bt 20",
          "echo \\n[culprit] host\\n", "thread 1", "bt 20", "echo \\n[culprit] go on\\n", "continue"})
      commands.emplace_back(command);
  }
  commands.insert(commands.end(),
                  {"printf \"\\n[culprit] exit %d\\n\", $_exitcode",
                   "printf \"\\n[culprit] signal %d\\n\", $_exitsignal", "echo \\n[culprit] end\\n"});
  return commands;
}

base::Result<ToolRun> PlanDebugger(const system::System& machine, const std::string& program,
                                   const std::vector<std::string>& command, system::FreshDirectory& folder) {
  ToolRun run;
  run.report = base::JoinPath(folder.path(), "cuda-gdb.txt");
  // The debugger sets these two for the program.
  std::string inner;
  const auto environment = machine.Environment();
  for (const char* name : {"LINES", "COLUMNS"}) {
    const auto value = environment.find(name);
    inner += value == environment.end() ? std::string("unset ") + name + "\n"
                                        : std::string(name) + "=" + base::ShellWord(value->second) + "\n";
  }
  inner += "exec >&3 2>&4 3>&- 4>&-\nexec " + base::ShellWords(command) + "\n";
  const auto script = folder.Write("program", inner);
  if (!script) return std::unexpected(script.error());
  // What the debugger says goes to the report; the program gets back what it would have written to.
  std::string outer = "exec 3>&1 4>&2 >" + base::ShellWord(run.report) + " 2>&1\nexec " +
                      base::ShellWord(program) + " -nx -q --batch";
  for (const std::string& one : DebuggerCommands()) outer += " -ex " + base::ShellWord(one);
  outer += " --args /bin/sh " + base::ShellWord(*script) + "\n";
  const auto start = folder.Write("start", outer);
  if (!start) return std::unexpected(start.error());
  run.command = {"/bin/sh", *start};
  return run;
}

// The number behind the last `sign` at the beginning of a line.
std::optional<int> NumberBehind(std::string_view text, std::string_view sign) {
  const size_t at = text.rfind(sign);
  if (at == std::string_view::npos) return std::nullopt;
  int number = 0, digits = 0;
  for (const char c : text.substr(at + sign.size())) {
    if (c < '0' || c > '9' || ++digits > 5) break;
    number = number * 10 + (c - '0');
  }
  return digits == 0 ? std::nullopt : std::optional(number);
}

}  // namespace

record::Channel TextOf(Tool tool) {
  using enum record::Channel;
  return tool == Tool::kNone ? kUnknown : tool == Tool::kDebugger ? kDebugger : kSanitizer;
}

std::string_view ProgramOf(Tool tool) { return base::Word(TextOf(tool)); }

Tool SanitizerNamed(std::string_view word) {
  if (word == "memcheck") return Tool::kMemcheck;
  if (word == "racecheck") return Tool::kRacecheck;
  if (word == "initcheck") return Tool::kInitcheck;
  return word == "synccheck" ? Tool::kSynccheck : Tool::kNone;
}

base::Result<ToolRun> PlanToolRun(const system::System& machine, Tool tool, const std::string& program,
                                  std::string_view help, const std::vector<std::string>& command,
                                  system::FreshDirectory& folder) {
  if (tool == Tool::kDebugger) return PlanDebugger(machine, program, command, folder);
  return PlanSanitizer(machine, tool, program, help, command, folder);
}

std::string HelpOf(const std::string& program) {
  std::string text;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  system::ChildWatch watch;
  watch.on_output = [&](system::ChildStream, std::string_view piece) {
    text += piece;
    return text.size() < (1 << 20);
  };
  watch.deadline = [&] { return deadline; };
  system::ChildRequest request;
  request.program = program;
  request.arguments = {"--help"};
  const auto end = system::RunChild(request, watch);
  return end && !end->killed_here ? text : "";
}

std::optional<ProgramEnd> EndOfProgram(const system::System& machine, const ToolRun& run) {
  if (!run.end.empty()) {
    const auto text = system::ReadWholeFile(machine, run.end, kLongestEnd);
    const auto status = text ? NumberBehind("=" + *text, "=") : std::nullopt;
    if (!status) return std::nullopt;
    // As the shell has it: 139 is SIGSEGV. A program that ends with 139 by itself looks the same to any
    // shell.
    if (*status > 128 && *status < 128 + 65) return ProgramEnd{0, *status - 128};
    return ProgramEnd{*status, 0};
  }
  const auto text = system::ReadWholeFile(machine, run.report, kLongestReport);
  if (!text) return std::nullopt;
  if (const auto status = NumberBehind(*text, "\n[culprit] exit ")) return ProgramEnd{*status, 0};
  if (const auto signal = NumberBehind(*text, "\n[culprit] signal ")) return ProgramEnd{0, *signal};
  return std::nullopt;
}

}  // namespace culprit::watch
