// Libraries by LoadLibraryEx.
#include <windows.h>
// After windows.h, whose names it uses.
#include <psapi.h>

#include "probe/cuda/library.h"
#include "probe/cuda/text_windows.h"

namespace culprit::cuda {

const char* const kLoaderCall = "LoadLibrary";

namespace {

std::string ErrorText(DWORD code) {
  wchar_t* words = nullptr;
  const DWORD size = FormatMessageW(
      FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr,
      code, MAKELANGID(LANG_ENGLISH, SUBLANG_DEFAULT), reinterpret_cast<wchar_t*>(&words), 0, nullptr);
  std::string text = size == 0 ? "" : Narrow(std::wstring(words, size));
  if (words != nullptr) LocalFree(words);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  return "error " + std::to_string(code) + (text.empty() ? "" : ": " + text);
}

// Whether a file of that name lies where a program looks.
bool IsThere(const std::wstring& name) {
  return SearchPathW(nullptr, name.c_str(), L".dll", 0, nullptr, nullptr) != 0;
}

// The loader has one number for a file that is not there and for one that needs a file that is not there.
std::string WhyNot(const std::string& name, DWORD code) {
  if (code == ERROR_MOD_NOT_FOUND && IsThere(Wide(name)))
    return name + ": a DLL that it needs was not found (" + ErrorText(code) + ")";
  return name + ": " + ErrorText(code);
}

}  // namespace

Library Library::Open(const std::string& name, bool) {
  Library library;
  library.name_ = name;
  // With a directory: what lies beside the file is searched first, as a program beside it would find it.
  const bool has_directory = name.find_first_of("/\\") != std::string::npos;
  const HMODULE module =
      LoadLibraryExW(Wide(name).c_str(), nullptr, has_directory ? LOAD_WITH_ALTERED_SEARCH_PATH : 0);
  if (module != nullptr) {
    library.handle_ = module;
    library.path_ = PathOfModule(module);
  } else {
    library.error_ = WhyNot(name, GetLastError());
  }
  return library;
}

Library Library::Mapped(const std::string& path) {
  Library library;
  library.name_ = path;
  library.handle_ = GetModuleHandleW(Wide(path).c_str());
  if (library.handle_ != nullptr) library.path_ = path;
  return library;
}

void* Library::Find(const char* symbol) const {
  if (handle_ == nullptr) return nullptr;
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), symbol));
}

std::vector<std::string> MappedLibraries() {
  std::vector<HMODULE> modules(4096);
  DWORD bytes = 0;
  const DWORD room = static_cast<DWORD>(modules.size() * sizeof(HMODULE));
  if (!K32EnumProcessModules(GetCurrentProcess(), modules.data(), room, &bytes)) return {};
  modules.resize(bytes < room ? bytes / sizeof(HMODULE) : modules.size());
  std::vector<std::string> paths;
  for (const HMODULE module : modules) paths.push_back(PathOfModule(module));
  return paths;
}

std::string RealDirectory(const std::string& path) {
  std::string directory = path.substr(0, path.find_last_of("/\\") + 1);
  for (char& c : directory) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return directory;
}

}  // namespace culprit::cuda
