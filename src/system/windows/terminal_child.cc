// Windows: the command shares our standard input and console, so Ctrl-C reaches it directly; its output comes
// through pipes. There is no job control and there are no signals, only the exit code. To see what it loads,
// we debug it (debug_events.h).
#include "system/terminal_child.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "base/windows/path.h"
#include "system/windows/command_line.h"
#include "system/windows/debug_events.h"
#include "system/windows/native.h"
#include "system/windows/pipe.h"

namespace culprit::system {
namespace {

using Clock = std::chrono::steady_clock;
using Buffer = std::array<char, 1 << 16>;
constexpr DWORD kTerminalGlance = 2;  // ms
constexpr int kMostRounds = 64;

void WriteAll(HANDLE to, std::string_view bytes) {
  while (!bytes.empty()) {
    DWORD put = 0;
    if (WriteFile(to, bytes.data(), static_cast<DWORD>(bytes.size()), &put, nullptr) == 0 || put == 0) return;
    bytes.remove_prefix(put);
  }
}

// Passes on what is there now. False if there is nothing.
bool Pass(HANDLE from, HANDLE to, Buffer& buffer, const TerminalWatch& watch) {
  DWORD waiting = 0, got = 0;
  if (PeekNamedPipe(from, nullptr, 0, nullptr, &waiting, nullptr) == 0 || waiting == 0) return false;
  const auto wanted = static_cast<DWORD>(std::min<size_t>(waiting, buffer.size()));
  if (ReadFile(from, buffer.data(), wanted, &got, nullptr) == 0 || got == 0) return false;
  const std::string_view bytes(buffer.data(), got);
  WriteAll(to, bytes);
  if (watch.on_output) watch.on_output(bytes);
  return true;
}

std::wstring EnvironmentWith(const std::map<std::string, std::string>& variables) {
  std::map<std::string, std::string> all = RealSystem()->Environment();
  for (const auto& [name, value] : variables) all[name] = value;
  std::wstring block;
  for (const auto& [name, value] : all) block += Wide(name + "=" + value) + L'\0';
  return block + L'\0';
}

// The console sends Ctrl-C to both of us; the program decides what to do about it.
BOOL WINAPI StayAlive(DWORD event) {
  return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? TRUE : FALSE;
}

struct TerminalProcess {
  PROCESS_INFORMATION information = {};
  DWORD reason = 0;  // why it could not be started
};

TerminalProcess StartInTerminal(const std::string& path, const TerminalRequest& request, bool debugged,
                                HANDLE output, HANDLE error) {
  const std::wstring program = Wide(base::ToWindowsPath(path));
  std::wstring line;
  for (const std::string& word : request.command) AppendQuoted(line, Wide(word));
  std::map<std::string, std::string> variables = request.variables;
  // A process that is started by a debugger gets a heap that finds more mistakes, and so behaves differently.
  if (debugged) variables.try_emplace("_NO_DEBUG_HEAP", "1");
  std::wstring environment = EnvironmentWith(variables);
  STARTUPINFOW startup = {};
  startup.cb = sizeof(startup);
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
  startup.hStdOutput = output;
  startup.hStdError = error;
  TerminalProcess started;
  if (CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE,
                     CREATE_UNICODE_ENVIRONMENT | (debugged ? DEBUG_PROCESS : 0u), environment.data(),
                     nullptr, &startup, &started.information) == 0)
    started.reason = GetLastError();
  return started;
}

}  // namespace

FoundProgram FindCommand(const std::string& word) {
  std::vector<wchar_t> buffer(32768);
  const std::wstring name = Wide(word);
  const char* const kinds[] = {".exe", ".com", ".bat", ".cmd", ""};
  for (const char* kind : kinds) {
    const std::wstring suffix = Wide(kind);
    const DWORD length = SearchPathW(nullptr, name.c_str(), suffix.empty() ? nullptr : suffix.c_str(),
                                     static_cast<DWORD>(buffer.size()), buffer.data(), nullptr);
    if (length == 0 || length >= buffer.size()) continue;
    const DWORD attributes = GetFileAttributesW(buffer.data());
    if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) continue;
    return {base::FromWindowsPath(Utf8({buffer.data(), length})), 0, ""};
  }
  return {"", 127, word + ": command not found"};
}

base::Result<TerminalEnd> RunInTerminal(const TerminalRequest& request, const TerminalWatch& watch) {
  if (request.command.empty()) return base::Fail(base::ErrorCode::kNotFound, "no command");
  TerminalEnd end;
  end.start = Clock::now();
  const FoundProgram found = FindCommand(request.command.front());
  if (found.path.empty()) {
    end.exit_status = found.status;
    end.problem = found.why;
    return end;
  }
  const bool events_wanted = watch.on_event && WhyNoEvents().empty();
  const PipeEnds output = InheritedPipe(), error = InheritedPipe();
  const Handle output_read(output.read), error_read(error.read);
  if (!output_read || !error_read)
    return base::Fail(base::ErrorCode::kUnsupported, "no pipe for the program");
  SetConsoleCtrlHandler(StayAlive, TRUE);
  const TerminalProcess process =
      StartInTerminal(found.path, request, events_wanted, output.write, error.write);
  CloseHandle(output.write);
  CloseHandle(error.write);
  if (process.information.hProcess == nullptr) {
    SetConsoleCtrlHandler(StayAlive, FALSE);
    end.exit_status = 126;
    end.problem = found.path + ": " + ErrorText(process.reason);
    return end;
  }
  const Handle child(process.information.hProcess), thread(process.information.hThread);
  end.started = true;
  if (watch.on_start) watch.on_start(static_cast<int64_t>(process.information.dwProcessId));

  const HANDLE our_output = GetStdHandle(STD_OUTPUT_HANDLE), our_error = GetStdHandle(STD_ERROR_HANDLE);
  const auto buffer = std::make_unique<Buffer>();
  const auto pass = [&] {
    const bool complained = Pass(error_read.get(), our_error, *buffer, watch);
    return Pass(output_read.get(), our_output, *buffer, watch) || complained;
  };
  DebugEvents events(watch.on_event);
  if (events_wanted) DebugSetProcessKillOnExit(FALSE);  // should we die, it lives on
  for (bool ended = false; !ended;) {
    const bool heard = pass();
    // Its end is told by an event that has to be answered, so the events come first.
    if (events_wanted && !events.over() && events.Next(heard ? 0 : kTerminalGlance)) continue;
    ended = WaitForSingleObject(child.get(), heard || events_wanted ? 0 : kTerminalGlance) == WAIT_OBJECT_0;
  }
  // Children that stay behind go on without us.
  if (events_wanted) events.LetGo();
  end.duration = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - end.start).count());
  for (int rounds = 0; rounds < kMostRounds && pass(); ++rounds) {
  }
  SetConsoleCtrlHandler(StayAlive, FALSE);
  DWORD code = 0;
  GetExitCodeProcess(child.get(), &code);
  end.exit_status = static_cast<int>(code);
  return end;
}

std::string NameOfSignal(int) { return ""; }

std::string WhyNoEvents() {
  // Wine debugs with ptrace(), which CPU emulators lack; there the program would just stop.
  const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
  const bool wine = ntdll != nullptr && GetProcAddress(ntdll, "wine_get_version") != nullptr;
  return wine ? "debugging is not reliable under Wine" : "";
}

void EndAs(const TerminalEnd& end) {
  std::fflush(nullptr);
  ExitProcess(static_cast<UINT>(end.exit_status));
}

}  // namespace culprit::system
