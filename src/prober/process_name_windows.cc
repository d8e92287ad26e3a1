// Names of programs by their process on Windows.
#include <windows.h>

#include "prober/process_name.h"

namespace culprit::prober {

std::string ProcessName(uint64_t pid) {
  const HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(pid));
  if (process == nullptr) return "";
  char path[4096] = {};
  DWORD size = sizeof(path) - 1;
  const BOOL named = QueryFullProcessImageNameA(process, 0, path, &size);
  CloseHandle(process);
  if (!named) return "";
  const std::string text(path, size);
  return text.substr(text.find_last_of("/\\") + 1);
}

uint64_t OwnProcess() { return GetCurrentProcessId(); }

}  // namespace culprit::prober
