// Reading from a handle: a pipe, a file, the console.
#include "system/stream.h"

#include <algorithm>

#include "system/windows/native.h"

namespace culprit::system {
namespace {

class HandleStream final : public InputStream {
 public:
  HandleStream(HANDLE handle, bool owned, std::string name)
      : handle_(handle), owned_(owned), name_(std::move(name)) {}
  HandleStream(const HandleStream&) = delete;
  HandleStream& operator=(const HandleStream&) = delete;
  ~HandleStream() override {
    if (owned_) CloseHandle(handle_);
  }

  base::Result<size_t> Read(std::span<char> out) override {
    DWORD got = 0;
    const auto wanted = static_cast<DWORD>(std::min<size_t>(out.size(), size_t{1} << 30));
    if (ReadFile(handle_, out.data(), wanted, &got, nullptr) != 0) return size_t{got};
    const DWORD error = GetLastError();
    if (error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF) return size_t{0};  // the writer has gone
    return base::Fail(base::ErrorCode::kNotReadable, name_ + ": " + ErrorText(error));
  }

  // A pipe cannot be waited for; it is asked now and then.
  bool Wait(int milliseconds) override {
    if (GetFileType(handle_) != FILE_TYPE_PIPE) {
      return WaitForSingleObject(handle_, static_cast<DWORD>(milliseconds)) == WAIT_OBJECT_0;
    }
    constexpr DWORD kStep = 10;
    const ULONGLONG until = GetTickCount64() + static_cast<ULONGLONG>(milliseconds);
    while (true) {
      DWORD waiting = 0;
      if (PeekNamedPipe(handle_, nullptr, 0, nullptr, &waiting, nullptr) == 0 || waiting > 0) return true;
      if (GetTickCount64() >= until) return false;
      Sleep(kStep);
    }
  }

 private:
  HANDLE handle_;
  bool owned_;
  std::string name_;
};

}  // namespace

std::unique_ptr<InputStream> StandardInput() {
  return std::make_unique<HandleStream>(GetStdHandle(STD_INPUT_HANDLE), false, "standard input");
}

bool StandardInputIsTerminal() {
  DWORD mode = 0;
  return GetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), &mode) != 0;
}

base::Result<std::unique_ptr<InputStream>> OpenInput(const std::string& path) {
  const auto native = NativePathOfUser(path);
  if (!native)
    return base::Fail(base::ErrorCode::kNotFound, path + ": " + std::string(Strerror(native.error())));
  const DWORD attributes = GetFileAttributesW(native->c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    return base::Fail(base::ErrorCode::kNotReadable, path + ": is a directory; name the log in it");
  }
  const HANDLE handle =
      CreateFileW(native->c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                  nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    const DWORD error = GetLastError();
    const PathError kind = PathErrorOf(error);
    const auto code =
        kind == PathError::kNoEntry ? base::ErrorCode::kNotFound : base::ErrorCode::kNotReadable;
    return base::Fail(
        code, path + ": " + (kind == PathError::kOther ? ErrorText(error) : std::string(Strerror(kind))));
  }
  return std::make_unique<HandleStream>(handle, true, path);
}

}  // namespace culprit::system
