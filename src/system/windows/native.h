// How culprit's paths, texts and errors are called by the API of Windows. For the sources of that platform.
#pragma once

#include <windows.h>

#include <string>
#include <string_view>
#include <utility>

#include "system/system.h"

namespace culprit::system {

// UTF-8 and UTF-16. What is not valid becomes U+FFFD, and a file of such a name is then not found.
std::wstring Wide(std::string_view text);
std::string Utf8(std::wstring_view text);

// "/C:/a" -> "\\?\C:\a", which may be longer than 260 characters and of which nothing is interpreted (no
// devices like "nul", no trailing dots). kNoEntry for what can be no file: "/usr", or a name with a character
// that Windows reserves; ':' would open a stream inside a file.
Outcome<std::wstring> NativePath(std::string_view inside);
// The same below `directory`, a native path: "/a/b" -> directory\a\b.
Outcome<std::wstring> NativePathBelow(const std::wstring& directory, std::string_view inside);
// A path as the user wrote it.
Outcome<std::wstring> NativePathOfUser(std::string_view path);

PathError PathErrorOf(DWORD error);
// What Windows says of an error, one line.
std::string ErrorText(DWORD error);

class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (handle_ != nullptr) CloseHandle(handle_);
  }
  explicit operator bool() const { return handle_ != nullptr; }
  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

std::string CurrentDirectory();  // inside spelling

}  // namespace culprit::system
