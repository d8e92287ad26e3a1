// On Windows an unhandled exception and abort() come here; a step that hangs is ended from outside.
#include <windows.h>

#include <csignal>
#include <cstring>
#include <string>

#include "probe/child/channel.h"
#include "probe/child/signals.h"
#include "probe/cuda/text_windows.h"
#include "probe/host/protocol.h"

namespace culprit::prober {
namespace {

int g_channel = -1;

std::string FileAt(void* address) {
  HMODULE module = nullptr;
  if (!GetModuleHandleExW(
          GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
          static_cast<const wchar_t*>(address), &module)) {
    return "";
  }
  return cuda::PathOfModule(module);
}

bool IsBystander(const std::string& path) {
  const std::string name = path.substr(path.find_last_of("/\\") + 1);
  for (const char* bystander : {"ntdll", "kernel", "ucrtbase", "msvcrt", "vcruntime", "culprit-probe"}) {
    if (_strnicmp(name.c_str(), bystander, strlen(bystander)) == 0) return true;
  }
  return name.empty();
}

std::string FirstOnStack() {
  void* frames[62] = {};
  const USHORT count = CaptureStackBackTrace(0, 62, frames, nullptr);
  for (USHORT i = 0; i < count; ++i) {
    std::string path = FileAt(frames[i]);
    if (!IsBystander(path)) return path;
  }
  return "";
}

const char* ExceptionName(DWORD code) {
  switch (code) {
    case EXCEPTION_ACCESS_VIOLATION:
      return "EXCEPTION_ACCESS_VIOLATION";
    case EXCEPTION_IN_PAGE_ERROR:
      return "EXCEPTION_IN_PAGE_ERROR";
    case EXCEPTION_ILLEGAL_INSTRUCTION:
      return "EXCEPTION_ILLEGAL_INSTRUCTION";
    case EXCEPTION_STACK_OVERFLOW:
      return "EXCEPTION_STACK_OVERFLOW";
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
      return "EXCEPTION_INT_DIVIDE_BY_ZERO";
    default:
      return "EXCEPTION";
  }
}

LONG WINAPI OnException(EXCEPTION_POINTERS* exception) {
  std::string path = FileAt(exception->ExceptionRecord->ExceptionAddress);
  if (IsBystander(path)) {
    if (const std::string caller = FirstOnStack(); !caller.empty()) path = caller;
  }
  const DWORD code = exception->ExceptionRecord->ExceptionCode;
  WriteAll(g_channel, probe::EncodeLine("crash", {ExceptionName(code), path}));
  EndNow(static_cast<int>(code));
}

void OnAbort(int) {
  WriteAll(g_channel, probe::EncodeLine("crash", {"SIGABRT", FirstOnStack()}));
  EndNow(3);
}

}  // namespace

void WatchSignals(int descriptor) {
  g_channel = descriptor;
  ULONG for_the_filter = 64 * 1024;  // where the stack itself is what has run out
  SetThreadStackGuarantee(&for_the_filter);
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  SetUnhandledExceptionFilter(OnException);
  signal(SIGABRT, OnAbort);
}

}  // namespace culprit::prober
