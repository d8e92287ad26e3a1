#include "system/windows/native.h"

#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"

namespace culprit::system {
namespace {

constexpr std::wstring_view kPrefix = L"\\\\?\\";

bool CanBeAName(std::string_view name) {
  return std::ranges::none_of(name, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || std::string_view("<>:\"|?*\\").contains(c);
  });
}

}  // namespace

std::wstring Wide(std::string_view text) {
  if (text.empty()) return {};
  const int size = static_cast<int>(text.size());
  std::wstring wide(static_cast<size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0)),
                    L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(), static_cast<int>(wide.size()));
  return wide;
}

std::string Utf8(std::wstring_view text) {
  if (text.empty()) return {};
  const int size = static_cast<int>(text.size());
  std::string bytes(
      static_cast<size_t>(WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr)),
      '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), size, bytes.data(), static_cast<int>(bytes.size()), nullptr,
                      nullptr);
  return bytes;
}

Outcome<std::wstring> NativePath(std::string_view inside) {
  if (!base::IsWindowsPath(inside)) return std::unexpected(PathError::kNoEntry);
  const std::string clean = base::FromWindowsPath(inside);
  const std::vector<std::string> names = base::SplitWords(clean, "/");
  std::string native;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0 && !CanBeAName(names[i])) return std::unexpected(PathError::kNoEntry);
    native += (i > 0 ? "\\" : "") + names[i];
  }
  if (names.size() == 1) native += '\\';  // "C:" alone means the current directory of that drive
  return std::wstring(kPrefix) + Wide(native);
}

Outcome<std::wstring> NativePathBelow(const std::wstring& directory, std::string_view inside) {
  std::string native;
  for (const std::string& name : base::SplitWords(inside, "/")) {
    if (!CanBeAName(name) || name == "..") return std::unexpected(PathError::kNoEntry);
    native += "\\" + name;
  }
  std::wstring_view base = directory;
  if (base.ends_with(L'\\') && !native.empty()) base.remove_suffix(1);
  return std::wstring(base) + Wide(native);
}

Outcome<std::wstring> NativePathOfUser(std::string_view path) {
  if (path.empty()) return std::unexpected(PathError::kNoEntry);
  if (path.contains('\0')) return std::unexpected(PathError::kOther);
  if (path.starts_with("\\\\.\\")) return Wide(path);  // a named pipe
  return NativePath(base::FromWindowsPath(path, CurrentDirectory()));
}

PathError PathErrorOf(DWORD error) {
  switch (error) {
    case ERROR_SUCCESS:
      return PathError::kNone;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
      return PathError::kNoEntry;
    case ERROR_DIRECTORY:
      return PathError::kNotDirectory;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_PRIVILEGE_NOT_HELD:
    case ERROR_CANT_ACCESS_FILE:
      return PathError::kAccess;
    case ERROR_CANT_RESOLVE_FILENAME:
      return PathError::kLoop;
    case ERROR_FILENAME_EXCED_RANGE:
    case ERROR_BUFFER_OVERFLOW:
      return PathError::kNameTooLong;
    default:
      return PathError::kOther;
  }
}

std::string ErrorText(DWORD error) {
  wchar_t text[512];
  const DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr,
                                      error, 0, text, static_cast<DWORD>(std::size(text)), nullptr);
  std::string line(base::Trim(Utf8(std::wstring_view(text, length))));
  if (line.ends_with('.')) line.pop_back();
  return line.empty() ? "error " + std::to_string(error) : line;
}

std::string CurrentDirectory() {
  std::wstring directory(GetCurrentDirectoryW(0, nullptr), L'\0');
  directory.resize(GetCurrentDirectoryW(static_cast<DWORD>(directory.size()), directory.data()));
  return directory.empty() ? "" : base::FromWindowsPath(Utf8(directory));
}

}  // namespace culprit::system
