#include "system/windows/debug_events.h"

#include <tlhelp32.h>

#include <algorithm>
#include <array>

#include "base/windows/path.h"

namespace culprit::system {
namespace {

using Kind = ProcessEvent::Kind;

// Of delayimp.h: VcppException(ERROR_SEVERITY_ERROR, ERROR_MOD_NOT_FOUND), whose first parameter is the
// address of a DelayLoadInfo; that holds a pointer to the name behind a size and two pointers.
constexpr DWORD kDelayedNotFound = 0xC06D007E;
constexpr DWORD kBreakpoint32 = 0x4000001F;  // STATUS_WX86_BREAKPOINT: greets for a 32-bit process
constexpr size_t kStackBytes = 4096;
constexpr size_t kLongestName = 260;

template <typename T>
bool ReadFrom(HANDLE process, uint64_t address, T& value) {
  SIZE_T got = 0;
  return ReadProcessMemory(process, reinterpret_cast<const void*>(address), &value, sizeof(value), &got) !=
             0 &&
         got == sizeof(value);
}

// SizeOfImage of the mapped headers; 0 when they do not look like any.
uint64_t SizeAt(HANDLE process, uint64_t base) {
  IMAGE_DOS_HEADER dos;
  if (!ReadFrom(process, base, dos) || dos.e_magic != IMAGE_DOS_SIGNATURE || dos.e_lfanew <= 0) return 0;
  IMAGE_NT_HEADERS64 nt;  // the field lies at the same place in both widths
  if (!ReadFrom(process, base + static_cast<uint64_t>(dos.e_lfanew), nt) ||
      nt.Signature != IMAGE_NT_SIGNATURE)
    return 0;
  return nt.OptionalHeader.SizeOfImage;
}

std::string PathOf(HANDLE file) {
  if (file == nullptr || file == INVALID_HANDLE_VALUE) return "";
  std::vector<wchar_t> buffer(32768);
  const DWORD length =
      GetFinalPathNameByHandleW(file, buffer.data(), static_cast<DWORD>(buffer.size()), FILE_NAME_NORMALIZED);
  CloseHandle(file);
  if (length == 0 || length >= buffer.size()) return "";
  return base::FromWindowsPath(Utf8({buffer.data(), length}));
}

// What the event itself says: the address of a pointer to the name, in the memory of the process.
std::string NameOf(HANDLE process, const void* image_name, bool wide) {
  uint64_t address = 0;
  if (image_name == nullptr || !ReadFrom(process, reinterpret_cast<uint64_t>(image_name), address) ||
      address == 0)
    return "";
  std::wstring name;
  for (size_t i = 0; i < kLongestName; ++i) {
    wchar_t c = 0;
    char narrow = 0;
    if (wide ? !ReadFrom(process, address + 2 * i, c) : !ReadFrom(process, address + i, narrow)) break;
    if (!wide) c = static_cast<unsigned char>(narrow);
    if (c == 0) break;
    name += c;
  }
  return name.find(L':') == std::wstring::npos ? "" : base::FromWindowsPath(Utf8(name));
}

int64_t ParentOf(DWORD process) {
  const Handle all(CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
  PROCESSENTRY32W entry = {};
  entry.dwSize = sizeof(entry);
  if (!all) return 0;
  for (BOOL more = Process32FirstW(all.get(), &entry); more != 0; more = Process32NextW(all.get(), &entry))
    if (entry.th32ProcessID == process) return static_cast<int64_t>(entry.th32ParentProcessID);
  return 0;
}

// Words of the stack of a thread, from its top.
std::vector<uint64_t> StackOf(HANDLE process, HANDLE thread, bool narrow) {
  uint64_t top = 0;
  if (narrow) {
    WOW64_CONTEXT context = {};
    context.ContextFlags = WOW64_CONTEXT_CONTROL;
    if (Wow64GetThreadContext(thread, &context) == 0) return {};
    top = context.Esp;
  } else {
    alignas(16) CONTEXT context = {};
    context.ContextFlags = CONTEXT_CONTROL;
    if (GetThreadContext(thread, &context) == 0) return {};
#if defined(_M_ARM64) || defined(__aarch64__)
    top = context.Sp;
#else
    top = context.Rsp;
#endif
  }
  std::array<unsigned char, kStackBytes> bytes;
  SIZE_T got = 0;
  // The end of the stack may come sooner.
  for (size_t size = bytes.size(); size >= 256; size /= 2) {
    if (ReadProcessMemory(process, reinterpret_cast<const void*>(top), bytes.data(), size, &got) != 0) break;
    got = 0;
  }
  std::vector<uint64_t> words;
  const size_t width = narrow ? 4 : 8;
  for (size_t at = 0; at + width <= got; at += width) {
    uint64_t word = 0;
    for (size_t i = width; i-- > 0;) word = word << 8 | bytes[at + i];
    if (word > 0xFFFF) words.push_back(word);
  }
  return words;
}

}  // namespace

ProcessEvent DebugEvents::About(const DEBUG_EVENT& event, Kind kind) const {
  ProcessEvent told;
  told.kind = kind;
  told.at = std::chrono::steady_clock::now();
  told.process = static_cast<int64_t>(event.dwProcessId);
  told.thread = static_cast<int64_t>(event.dwThreadId);
  return told;
}

bool DebugEvents::Next(DWORD milliseconds) {
  DEBUG_EVENT event = {};
  if (WaitForDebugEvent(&event, milliseconds) == 0) return false;
  DWORD answer = DBG_CONTINUE;
  switch (event.dwDebugEventCode) {
    case CREATE_PROCESS_DEBUG_EVENT:
      Start(event);
      break;
    case CREATE_THREAD_DEBUG_EVENT:
      processes_[event.dwProcessId].threads[event.dwThreadId] = event.u.CreateThread.hThread;
      break;
    case EXIT_THREAD_DEBUG_EVENT:
      processes_[event.dwProcessId].threads.erase(event.dwThreadId);
      break;
    case LOAD_DLL_DEBUG_EVENT:
      Load(event);
      break;
    case UNLOAD_DLL_DEBUG_EVENT: {
      ProcessEvent told = About(event, Kind::kUnload);
      told.base = reinterpret_cast<uint64_t>(event.u.UnloadDll.lpBaseOfDll);
      listener_(told);
      break;
    }
    case EXCEPTION_DEBUG_EVENT:
      answer = Exception(event);
      break;
    case EXIT_PROCESS_DEBUG_EVENT: {
      ProcessEvent told = About(event, Kind::kEnd);
      told.code = event.u.ExitProcess.dwExitCode;
      processes_.erase(event.dwProcessId);
      listener_(told);
      break;
    }
    default:
      break;
  }
  ContinueDebugEvent(event.dwProcessId, event.dwThreadId, answer);
  return true;
}

void DebugEvents::LetGo() {
  for (const auto& [process, known] : processes_) DebugActiveProcessStop(process);
  processes_.clear();
}

void DebugEvents::Start(const DEBUG_EVENT& event) {
  const CREATE_PROCESS_DEBUG_INFO& about = event.u.CreateProcessInfo;
  Process& process = processes_[event.dwProcessId];
  begun_ = true;
  process.handle = about.hProcess;
  process.threads[event.dwThreadId] = about.hThread;
  BOOL narrow = FALSE;
  process.narrow = sizeof(void*) == 8 && IsWow64Process(about.hProcess, &narrow) != 0 && narrow != 0;
  ProcessEvent told = About(event, Kind::kStart);
  told.parent = ParentOf(event.dwProcessId);
  told.path = PathOf(about.hFile);
  if (told.path.empty()) told.path = NameOf(process.handle, about.lpImageName, about.fUnicode != 0);
  told.base = reinterpret_cast<uint64_t>(about.lpBaseOfImage);
  if (const uint64_t size = SizeAt(process.handle, told.base)) told.end = told.base + size;
  listener_(told);
}

void DebugEvents::Load(const DEBUG_EVENT& event) {
  const LOAD_DLL_DEBUG_INFO& about = event.u.LoadDll;
  const Process& process = processes_[event.dwProcessId];
  ProcessEvent told = About(event, Kind::kLoad);
  told.path = PathOf(about.hFile);
  if (told.path.empty()) told.path = NameOf(process.handle, about.lpImageName, about.fUnicode != 0);
  told.base = reinterpret_cast<uint64_t>(about.lpBaseOfDll);
  if (const uint64_t size = SizeAt(process.handle, told.base)) told.end = told.base + size;
  told.running = process.greeted;
  listener_(told);
}

DWORD DebugEvents::Exception(const DEBUG_EVENT& event) {
  const EXCEPTION_RECORD& record = event.u.Exception.ExceptionRecord;
  Process& process = processes_[event.dwProcessId];
  if (!process.greeted &&
      (record.ExceptionCode == EXCEPTION_BREAKPOINT || record.ExceptionCode == kBreakpoint32)) {
    // A 32-bit process is greeted twice: first by the 64-bit loader around it.
    process.greeted = !process.narrow || record.ExceptionCode == kBreakpoint32;
    return DBG_CONTINUE;
  }
  if (record.ExceptionCode == kDelayedNotFound && event.u.Exception.dwFirstChance != 0)
    NotDelayed(process, record, About(event, Kind::kNotDelayed));
  if (event.u.Exception.dwFirstChance == 0) Crash(process, record, About(event, Kind::kCrash));
  return DBG_EXCEPTION_NOT_HANDLED;
}

void DebugEvents::NotDelayed(const Process& process, const EXCEPTION_RECORD& record, ProcessEvent told) {
  if (record.NumberParameters < 1) return;
  const uint64_t width = process.narrow ? 4 : 8;
  uint64_t name = 0;
  const uint64_t info = record.ExceptionInformation[0];
  if (process.narrow) {
    uint32_t narrow = 0;
    if (!ReadFrom(process.handle, info + 3 * width, narrow)) return;
    name = narrow;
  } else if (!ReadFrom(process.handle, info + 3 * width, name)) {
    return;
  }
  for (size_t i = 0; name != 0 && i < kLongestName; ++i) {
    char c = 0;
    if (!ReadFrom(process.handle, name + i, c) || c == 0) break;
    told.path += c;
  }
  if (!told.path.empty()) listener_(told);
}

void DebugEvents::Crash(const Process& process, const EXCEPTION_RECORD& record, ProcessEvent told) {
  told.code = record.ExceptionCode;
  if ((record.ExceptionCode == EXCEPTION_ACCESS_VIOLATION ||
       record.ExceptionCode == EXCEPTION_IN_PAGE_ERROR) &&
      record.NumberParameters >= 2) {
    told.touched = true;
    told.wrote = record.ExceptionInformation[0] == 1;
    told.address = record.ExceptionInformation[1];
  }
  told.frames.push_back(reinterpret_cast<uint64_t>(record.ExceptionAddress));
  const auto thread = process.threads.find(static_cast<DWORD>(told.thread));
  if (thread != process.threads.end()) {
    const std::vector<uint64_t> words = StackOf(process.handle, thread->second, process.narrow);
    told.frames.insert(told.frames.end(), words.begin(), words.end());
  }
  listener_(told);
}

}  // namespace culprit::system
