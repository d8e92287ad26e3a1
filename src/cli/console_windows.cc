// A Windows console keeps its code page and modes after a program ends, so we restore what we change. We ask
// the console whether a stream is a console, because isatty() also says yes for "nul".
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "cli/console.h"
#include "system/windows/native.h"

namespace culprit::cli {
namespace {

struct Kept {
  UINT code_page = 0;
  HANDLE handle = nullptr;  // the console
  DWORD mode = 0;
  bool sequences = false;  // it understands escape sequences now
};
Kept g_kept;

void PutBack() {
  if (g_kept.code_page != 0) SetConsoleOutputCP(g_kept.code_page);
  if (g_kept.handle != nullptr) SetConsoleMode(g_kept.handle, g_kept.mode);
  g_kept = {};
}

BOOL WINAPI OnControl(DWORD) {
  PutBack();
  return FALSE;  // Windows then ends the program as usual
}

HANDLE HandleOf(FILE* stream) {
  return GetStdHandle(stream == stderr ? STD_ERROR_HANDLE : STD_OUTPUT_HANDLE);
}

}  // namespace

void PrepareConsole() {
  _setmode(_fileno(stdout), _O_BINARY);
  for (FILE* const stream : {stdout, stderr}) {
    DWORD mode = 0;
    const HANDLE handle = HandleOf(stream);
    if (g_kept.handle != nullptr || GetConsoleMode(handle, &mode) == 0) continue;
    g_kept = {.code_page = GetConsoleOutputCP(), .handle = handle, .mode = mode};
    SetConsoleOutputCP(CP_UTF8);
    g_kept.sequences =
        SetConsoleMode(handle, mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
    std::atexit(PutBack);
    SetConsoleCtrlHandler(OnControl, TRUE);
  }
}

// argv is in the system code page, which cannot represent every name.
std::vector<std::string> Arguments(int argc, char** argv) {
  int count = 0;
  const std::unique_ptr<wchar_t*, decltype([](wchar_t** list) { LocalFree(list); })> list(
      CommandLineToArgvW(GetCommandLineW(), &count));
  if (!list) return {argv, argv + argc};
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(system::Utf8(list.get()[i]));
  return arguments;
}

bool IsTerminal(FILE* stream) {
  DWORD mode = 0;
  return GetConsoleMode(HandleOf(stream), &mode) != 0;
}

bool ShowsColors(FILE* stream) { return IsTerminal(stream) && g_kept.sequences; }

FILE* OpenForWriting(const std::string& path) {
  const auto native = system::NativePathOfUser(path);
  if (!native) {
    errno = ENOENT;
    return nullptr;
  }
  return _wfopen(native->c_str(), L"wb");
}

bool MakeFolder(const std::string& path) {
  const auto native = system::NativePathOfUser(path);
  if (!native) {
    errno = ENOENT;
    return false;
  }
  if (CreateDirectoryW(native->c_str(), nullptr) != 0) return true;
  const DWORD found = GetFileAttributesW(native->c_str());
  errno = found == INVALID_FILE_ATTRIBUTES ? ENOENT : ENOTDIR;
  return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

FILE* OpenForEverybody(const std::string& path) { return OpenForWriting(path); }

bool ReplaceFile(const std::string& path, const std::string& bytes) {
  const auto native = system::NativePathOfUser(path);
  const std::string fresh = path + "." + std::to_string(GetCurrentProcessId()) + ".new";
  const auto native_fresh = system::NativePathOfUser(fresh);
  FILE* const file = OpenForWriting(fresh);
  if (!native || !native_fresh || file == nullptr) return false;
  bool ok = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  ok &= std::fclose(file) == 0;
  if (ok && MoveFileExW(native_fresh->c_str(), native->c_str(), MOVEFILE_REPLACE_EXISTING) != 0) return true;
  if (ok) errno = EACCES;
  const int why = errno;
  DeleteFileW(native_fresh->c_str());
  errno = why;
  return false;
}

void EndAsReaderLeft() {}

void EndAtOnce(int status) {
  std::fflush(nullptr);
  PutBack();
  std::_Exit(status);
}

}  // namespace culprit::cli
