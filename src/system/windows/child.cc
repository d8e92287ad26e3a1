// The child is born asleep into a job object that takes all its descendants with it when it is closed, and
// inherits nothing but its three standard handles. A pipe of Windows cannot be waited for, and a thread that
// reads it may wait for ever for a descendant that left the job; so both are asked every few milliseconds.
// There is no SIGTERM: who is out of time is ended.
#include "system/child.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "base/windows/path.h"
#include "system/windows/command_line.h"
#include "system/windows/native.h"
#include "system/windows/pipe.h"

namespace culprit::system {
namespace {

using Clock = std::chrono::steady_clock;

constexpr DWORD kGlance = 2;  // ms
using Buffer = std::array<char, 1 << 16>;

// What is there now.
std::string_view Read(HANDLE pipe, Buffer& buffer) {
  DWORD waiting = 0, got = 0;
  if (PeekNamedPipe(pipe, nullptr, 0, nullptr, &waiting, nullptr) == 0 || waiting == 0) return {};
  const auto wanted = static_cast<DWORD>(std::min<size_t>(waiting, buffer.size()));
  if (ReadFile(pipe, buffer.data(), wanted, &got, nullptr) == 0) return {};
  return {buffer.data(), got};
}

std::unexpected<base::Error> NotStarted(const std::string& program, DWORD error) {
  return base::Fail(base::ErrorCode::kNotReadable, "cannot start " + program + ": " + ErrorText(error));
}

std::wstring EnvironmentBlock(const std::map<std::string, std::string>& variables) {
  std::wstring block;
  for (const auto& [name, value] : variables) block += Wide(name + "=" + value) + L'\0';
  return block + L'\0';
}

// Both pipes, the job and the process.
struct Started {
  Handle output, error, job, process;
};

// CREATE_SUSPENDED: it runs only after it is in the job. `handles` are all that it inherits.
BOOL CreateAsleep(const ChildRequest& request, std::array<HANDLE, 3> handles, PROCESS_INFORMATION& process) {
  // CreateProcessW takes no \\?\ path for a program, nor for its directory.
  const std::wstring program = Wide(base::ToWindowsPath(request.program));
  const std::wstring directory = Wide(base::ToWindowsPath(request.working_directory));
  std::wstring line;
  AppendQuoted(line, program);
  for (const std::string& argument : request.arguments) AppendQuoted(line, Wide(argument));
  std::wstring environment;
  if (request.environment) environment = EnvironmentBlock(*request.environment);

  SIZE_T size = 0;
  InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
  std::vector<std::byte> memory(size);
  const auto attributes = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory.data());
  if (InitializeProcThreadAttributeList(attributes, 1, 0, &size) == 0) return 0;
  STARTUPINFOEXW startup = {};
  startup.StartupInfo.cb = sizeof(startup);
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  startup.StartupInfo.hStdInput = handles[0];
  startup.StartupInfo.hStdOutput = handles[1];
  startup.StartupInfo.hStdError = handles[2];
  startup.lpAttributeList = attributes;
  BOOL created = UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(),
                                           sizeof(handles), nullptr, nullptr);
  if (created != 0) {
    created = CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE,
                             CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | CREATE_NO_WINDOW |
                                 CREATE_NEW_PROCESS_GROUP | EXTENDED_STARTUPINFO_PRESENT,
                             environment.empty() ? nullptr : environment.data(),
                             directory.empty() ? nullptr : directory.c_str(), &startup.StartupInfo, &process);
  }
  const DWORD reason = GetLastError();
  DeleteProcThreadAttributeList(attributes);
  SetLastError(reason);
  return created;
}

base::Result<Started> Start(const ChildRequest& request) {
  SECURITY_ATTRIBUTES inherited = {sizeof(inherited), nullptr, TRUE};
  const std::wstring input_file =
      request.input_file.empty() ? L"NUL" : Wide(base::ToWindowsPath(request.input_file));
  const Handle input(CreateFileW(input_file.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                 &inherited, OPEN_EXISTING, 0, nullptr));
  const PipeEnds output = InheritedPipe(), error = InheritedPipe();
  Handle output_read(output.read), error_read(error.read), job(CreateJobObjectW(nullptr, nullptr));
  const bool ready = input && output_read && error_read && job;
  PROCESS_INFORMATION process = {};
  BOOL created = 0;
  if (ready) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;  // no dialogue
    SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof(limits));
    created = CreateAsleep(request, {input.get(), output.write, error.write}, process);
  }
  const DWORD reason = GetLastError();
  for (const HANDLE handle : {output.write, error.write}) {
    if (handle != nullptr) CloseHandle(handle);
  }
  if (created == 0) return NotStarted(request.program, reason);
  Handle child(process.hProcess);
  const Handle thread(process.hThread);
  AssignProcessToJobObject(job.get(), child.get());
  ResumeThread(thread.get());
  return Started{std::move(output_read), std::move(error_read), std::move(job), std::move(child)};
}

}  // namespace

base::Result<ChildEnd> RunChild(const ChildRequest& request, const ChildWatch& watch) {
  const Clock::time_point start = Clock::now();
  const auto started = Start(request);
  if (!started) return std::unexpected(started.error());
  const Handle& child = started->process;

  ChildEnd end;
  Clock::time_point deadline = watch.deadline ? watch.deadline() : Clock::time_point::max();
  const auto output_buffer = std::make_unique<Buffer>(), error_buffer = std::make_unique<Buffer>();
  bool listening = true;
  // False: there was nothing. Read in this order and passed on in the other, nothing of the error comes late.
  const auto pass = [&] {
    const std::string_view said = Read(started->output.get(), *output_buffer);
    const std::string_view complained = Read(started->error.get(), *error_buffer);
    if (said.empty() && complained.empty()) return false;
    if (watch.on_output && !complained.empty()) listening = watch.on_output(ChildStream::kError, complained);
    if (watch.on_output && !said.empty() && listening)
      listening = watch.on_output(ChildStream::kOutput, said);
    if (watch.on_pause) watch.on_pause();
    if (watch.deadline) deadline = watch.deadline();
    return true;
  };
  bool ended = false;
  while (!ended && listening && !watch.stop.stop_requested()) {
    const bool heard = pass();
    ended = WaitForSingleObject(child.get(), heard ? 0 : kGlance) == WAIT_OBJECT_0;
    if (!ended && Clock::now() >= deadline) {
      end.out_of_time = true;
      break;
    }
  }
  end.killed_here = !ended;
  TerminateJobObject(started->job.get(), 1);  // with all that it has started
  TerminateProcess(child.get(), 1);           // should it not be in the job
  WaitForSingleObject(child.get(), 5000);
  // What it had written when it ended: no more than both pipes hold.
  for (int rounds = 0; rounds < 4 && listening && !watch.stop.stop_requested() && pass(); ++rounds) {
  }
  DWORD code = 0;
  GetExitCodeProcess(child.get(), &code);
  end.exit_status = static_cast<int>(code);
  end.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return end;
}

}  // namespace culprit::system
