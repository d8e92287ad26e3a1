// Windows removes the file when its last handle is closed, also by the end of the process.
#include "system/scratch_file.h"

#include <array>
#include <string>

#include "system/windows/native.h"

namespace culprit::system {
namespace {

OVERLAPPED At(uint64_t offset) {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

class DeletedOnClose final : public ScratchFile {
 public:
  explicit DeletedOnClose(Handle file) : file_(std::move(file)) {}

  base::Result<void> WriteAt(uint64_t offset, std::span<const char> bytes) override {
    while (!bytes.empty()) {
      OVERLAPPED place = At(offset);
      DWORD done = 0;
      const auto size = static_cast<DWORD>(bytes.size() < kMost ? bytes.size() : kMost);
      if (!WriteFile(file_.get(), bytes.data(), size, &done, &place))
        return base::Fail(base::ErrorCode::kNotReadable, "temporary file: " + ErrorText(GetLastError()));
      offset += done;
      bytes = bytes.subspan(done);
    }
    return {};
  }

  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    size_t done = 0;
    while (done < out.size()) {
      OVERLAPPED place = At(offset + done);
      DWORD got = 0;
      const size_t left = out.size() - done;
      if (!ReadFile(file_.get(), out.data() + done, static_cast<DWORD>(left < kMost ? left : kMost), &got,
                    &place)) {
        if (GetLastError() == ERROR_HANDLE_EOF) break;
        return base::Fail(base::ErrorCode::kNotReadable, "temporary file: " + ErrorText(GetLastError()));
      }
      if (got == 0) break;
      done += got;
    }
    return done;
  }

 private:
  static constexpr size_t kMost = size_t{1} << 30;
  Handle file_;
};

}  // namespace

base::Result<std::unique_ptr<ScratchFile>> MakeScratchFile() {
  std::array<wchar_t, MAX_PATH + 1> directory{}, name{};
  const auto failed = [] {
    return base::Fail(base::ErrorCode::kNotReadable, "temporary file: " + ErrorText(GetLastError()));
  };
  if (GetTempPathW(static_cast<DWORD>(directory.size()), directory.data()) == 0) return failed();
  if (GetTempFileNameW(directory.data(), L"cul", 0, name.data()) == 0) return failed();
  Handle file(CreateFileW(name.data(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, CREATE_ALWAYS,
                          FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
  if (!file) return failed();
  return std::make_unique<DeletedOnClose>(std::move(file));
}

}  // namespace culprit::system
