// Names of programs by their process on Windows.
#include "probe/child/process_name.h"
#include "probe/cuda/text_windows.h"

namespace culprit::prober {

std::string ProcessName(uint64_t pid) {
  const HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(pid));
  if (process == nullptr) return "";
  std::wstring path(32768, L'\0');
  auto size = static_cast<DWORD>(path.size());
  const BOOL named = QueryFullProcessImageNameW(process, 0, path.data(), &size);
  CloseHandle(process);
  if (!named) return "";
  path.resize(size);
  const std::string text = cuda::Narrow(path);
  return text.substr(text.find_last_of("/\\") + 1);
}

uint64_t OwnProcess() { return GetCurrentProcessId(); }

}  // namespace culprit::prober
