// A program of Windows has to be a file: in a directory of its own below the user's temporary one.
#include "system/own_program.h"

#include <vector>

#include "base/text.h"
#include "base/windows/path.h"
#include "system/windows/native.h"

namespace culprit::system {
namespace {

class InDirectory final : public TemporaryProgram {
 public:
  InDirectory(std::wstring directory, std::wstring file)
      : directory_(std::move(directory)), file_(std::move(file)) {}
  InDirectory(const InDirectory&) = delete;
  InDirectory& operator=(const InDirectory&) = delete;
  ~InDirectory() override {
    DeleteFileW(file_.c_str());
    RemoveDirectoryW(directory_.c_str());
  }
  std::string path() const override { return base::FromWindowsPath(Utf8(file_)); }
  const std::wstring& file() const { return file_; }

 private:
  std::wstring directory_, file_;
};

}  // namespace

std::string OwnProgram() {
  std::vector<wchar_t> buffer(32768);
  const DWORD length = GetModuleFileNameW(nullptr, buffer.data(), static_cast<DWORD>(buffer.size()));
  return length == 0 ? "" : base::FromWindowsPath(Utf8({buffer.data(), length}));
}

bool IsProgram(const std::string& path) {
  const auto native = NativePathOfUser(path);
  if (!native) return false;
  const DWORD attributes = GetFileAttributesW(native->c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

base::Result<std::unique_ptr<TemporaryProgram>> WriteProgramFile(const std::string& name,
                                                                 std::span<const unsigned char> bytes) {
  const auto fail = [&name] {
    return base::Fail(base::ErrorCode::kNotReadable,
                      "cannot unpack " + name + ": " + ErrorText(GetLastError()));
  };
  std::vector<wchar_t> buffer(MAX_PATH + 1);
  if (GetTempPathW(static_cast<DWORD>(buffer.size()), buffer.data()) == 0) return fail();
  // It is that of the user alone; the name need only be free.
  const std::wstring directory = buffer.data() + Wide("culprit-" + std::to_string(GetCurrentProcessId()) +
                                                      "-" + std::to_string(GetTickCount64()));
  if (CreateDirectoryW(directory.c_str(), nullptr) == 0) return fail();
  auto program =
      std::make_unique<InDirectory>(directory, directory + L"\\" + Wide(name + std::string(kProgramSuffix)));
  const Handle file(CreateFileW(program->file().c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, 0, nullptr));
  DWORD written = 0;
  if (!file ||
      WriteFile(file.get(), bytes.data(), static_cast<DWORD>(bytes.size()), &written, nullptr) == 0 ||
      written != bytes.size())
    return fail();
  return program;
}

base::Result<std::unique_ptr<TemporaryProgram>> WriteTemporaryProgram(const std::string& name,
                                                                      std::span<const unsigned char> bytes) {
  return WriteProgramFile(name, bytes);
}

}  // namespace culprit::system
