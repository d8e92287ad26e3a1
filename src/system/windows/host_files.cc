// The file system calls of Windows. A symbolic link and a junction are links; other reparse points (files of
// a cloud drive, compressed ones) are what they seem to be, but for the aliases of the Microsoft Store, which
// cannot be opened. Files are opened so that others may go on writing, renaming and deleting them.
//
// Below a directory every path is put behind the directory's own: Windows has no call that looks up one name
// in an open directory without following links, so a link that appears after the walk is followed.
#include "system/host_files.h"

#include <windows.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "base/windows/path.h"
#include "system/windows/native.h"

namespace culprit::system {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr DWORD kTagStoreAlias = 0x8000001B;  // IO_REPARSE_TAG_APPEXECLINK
constexpr DWORD kTagLinuxLink = 0xA000001D;   // IO_REPARSE_TAG_LX_SYMLINK, made by WSL
constexpr FileStatus kDrives{.type = FileType::kDirectory, .mode = 0555};  // "/"

std::unexpected<PathError> LastError() { return std::unexpected(PathErrorOf(GetLastError())); }

FileType TypeOf(DWORD attributes, DWORD tag) {
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
    if (tag == IO_REPARSE_TAG_SYMLINK || tag == IO_REPARSE_TAG_MOUNT_POINT) return FileType::kLink;
    if (tag == kTagStoreAlias || tag == kTagLinuxLink) return FileType::kOther;
  }
  if ((attributes & FILE_ATTRIBUTE_DEVICE) != 0) return FileType::kOther;
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FileType::kDirectory : FileType::kRegular;
}

Outcome<FileStatus> StatusOf(HANDLE file) {
  BY_HANDLE_FILE_INFORMATION found;
  if (GetFileInformationByHandle(file, &found) == 0) return LastError();
  FILE_ATTRIBUTE_TAG_INFO tag{};
  if ((found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
      GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof tag) == 0) {
    return LastError();
  }
  FileStatus status{.type = TypeOf(found.dwFileAttributes, tag.ReparseTag),
                    .size = uint64_t{found.nFileSizeHigh} << 32 | found.nFileSizeLow,
                    .device = found.dwVolumeSerialNumber,
                    .inode = uint64_t{found.nFileIndexHigh} << 32 | found.nFileIndexLow};
  const bool read_only = (found.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0;
  status.mode = status.type == FileType::kDirectory ? 0755 : read_only ? 0444 : 0644;
  return status;
}

Outcome<Handle> OpenNative(const std::wstring& path, DWORD rights, LastLink last) {
  const DWORD flags =
      FILE_FLAG_BACKUP_SEMANTICS | (last == LastLink::kKeep ? FILE_FLAG_OPEN_REPARSE_POINT : 0u);
  Handle file(CreateFileW(path.c_str(), rights, kShareAll, nullptr, OPEN_EXISTING, flags, nullptr));
  if (!file) return LastError();
  return file;
}

class HandleSource final : public base::ByteSource {
 public:
  HandleSource(Handle file, uint64_t size, std::string path)
      : file_(std::move(file)), size_(size), path_(std::move(path)) {}
  uint64_t size() const override { return size_; }

  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    constexpr size_t kMost = size_t{1} << 30;
    size_t done = 0;
    while (done < out.size()) {
      OVERLAPPED at{};
      at.Offset = static_cast<DWORD>(offset + done);
      at.OffsetHigh = static_cast<DWORD>((offset + done) >> 32);
      DWORD got = 0;
      const auto wanted = static_cast<DWORD>(std::min(out.size() - done, kMost));
      if (ReadFile(file_.get(), out.data() + done, wanted, &got, &at) == 0) {
        const DWORD error = GetLastError();
        if (error == ERROR_HANDLE_EOF) break;
        return base::Fail(base::ErrorCode::kNotReadable,
                          base::Printable(base::ToWindowsPath(path_)) + ": " + ErrorText(error));
      }
      if (got == 0) break;
      done += got;
    }
    return done;
  }

 private:
  Handle file_;
  uint64_t size_;
  std::string path_;
};

// The text of a symbolic link or junction, from the layout that FSCTL_GET_REPARSE_POINT documents
// (REPARSE_DATA_BUFFER): tag, length, reserved; offset and length of the target and of its printed form; for
// a symbolic link flags; the texts.
Outcome<std::wstring> LinkText(std::span<const std::byte> buffer, bool& relative) {
  const auto number = [&]<typename T>(size_t at, T& value) {
    if (at + sizeof value > buffer.size()) return false;
    std::memcpy(&value, buffer.data() + at, sizeof value);
    return true;
  };
  uint32_t tag = 0, flags = 0;
  uint16_t offset = 0, length = 0;
  if (!number(0, tag) || !number(8, offset) || !number(10, length)) return std::unexpected(PathError::kOther);
  const bool symbolic = tag == IO_REPARSE_TAG_SYMLINK;
  if (symbolic && !number(16, flags)) return std::unexpected(PathError::kOther);
  relative = symbolic && (flags & 1) != 0;
  const size_t begin = (symbolic ? 20u : 16u) + size_t{offset};
  if (begin + length > buffer.size()) return std::unexpected(PathError::kOther);
  std::wstring text(length / sizeof(wchar_t), L'\0');
  std::memcpy(text.data(), buffer.data() + begin, text.size() * sizeof(wchar_t));
  return text;
}

}  // namespace

struct HostFiles::Directory {
  std::wstring path;
  static Outcome<std::wstring> Native(const std::shared_ptr<const Directory>& directory,
                                      const std::string& path) {
    if (const PathError error = CheckPath(path); error != PathError::kNone) return std::unexpected(error);
    return directory ? NativePathBelow(directory->path, path) : NativePath(path);
  }
};

bool HostFiles::KeepsBelow() { return false; }

Outcome<HostFiles> HostFiles::Below(const std::string& directory, Resolve) {
  auto path = NativePathOfUser(directory);
  if (!path) return std::unexpected(path.error());
  const auto opened = OpenNative(*path, FILE_LIST_DIRECTORY, LastLink::kFollow);
  if (!opened) return std::unexpected(opened.error());
  const auto status = StatusOf(opened->get());
  if (!status) return std::unexpected(status.error());
  if (status->type != FileType::kDirectory) return std::unexpected(PathError::kNotDirectory);
  return HostFiles(std::make_shared<const Directory>(std::move(*path)));
}

Outcome<FileStatus> HostFiles::Status(const std::string& path, LastLink last) const {
  if (!directory_ && path == "/") return kDrives;
  const auto native = Directory::Native(directory_, path);
  if (!native) return std::unexpected(native.error());
  const auto file = OpenNative(*native, FILE_READ_ATTRIBUTES, last);
  if (!file) return std::unexpected(file.error());
  auto status = StatusOf(file->get());
  if (status && path.ends_with('/') && status->type != FileType::kDirectory) {
    return std::unexpected(PathError::kNotDirectory);
  }
  return status;
}

Outcome<OpenFile> HostFiles::Open(const std::string& path, LastLink last) const {
  const Outcome<FileStatus> before = Status(path, last);
  if (!before) return std::unexpected(before.error());
  if (before->type == FileType::kLink) return std::unexpected(PathError::kLoop);
  if (before->type != FileType::kRegular) return OpenFile{*before, nullptr};
  return OpenSeen(path, LastLink::kFollow);
}

Outcome<OpenFile> HostFiles::OpenRegular(const std::string& path) const {
  return OpenSeen(path, LastLink::kFollow);
}

Outcome<OpenFile> HostFiles::OpenSeen(const std::string& path, LastLink last) const {
  const auto native = Directory::Native(directory_, path);
  if (!native) return std::unexpected(native.error());
  auto file = OpenNative(*native, GENERIC_READ, last);
  if (!file) return std::unexpected(file.error());
  const auto status = StatusOf(file->get());
  if (!status) return std::unexpected(status.error());
  if (status->type != FileType::kRegular) return OpenFile{*status, nullptr};
  return OpenFile{*status, std::make_unique<HandleSource>(std::move(*file), status->size, path)};
}

Outcome<std::string> HostFiles::ReadLink(const std::string& path) const {
  const auto native = Directory::Native(directory_, path);
  if (!native) return std::unexpected(native.error());
  const auto file = OpenNative(*native, FILE_READ_ATTRIBUTES, LastLink::kKeep);
  if (!file) return std::unexpected(file.error());
  const auto status = StatusOf(file->get());
  if (!status) return std::unexpected(status.error());
  if (status->type != FileType::kLink) return std::unexpected(PathError::kOther);
  std::vector<std::byte> buffer(MAXIMUM_REPARSE_DATA_BUFFER_SIZE);
  DWORD size = 0;
  if (DeviceIoControl(file->get(), FSCTL_GET_REPARSE_POINT, nullptr, 0, buffer.data(),
                      static_cast<DWORD>(buffer.size()), &size, nullptr) == 0) {
    return LastError();
  }
  bool relative = false;
  const auto text = LinkText(std::span(buffer).first(size), relative);
  if (!text) return std::unexpected(text.error());
  std::string target = Utf8(*text);
  if (relative) {
    std::ranges::replace(target, '\\', '/');
    return target;
  }
  if (target.starts_with("\\??\\Volume{"))
    return std::unexpected(PathError::kOther);  // a disk without a letter
  target = base::FromWindowsPath(target);
  // Below a directory the target's drive is that directory: links inside are followed inside.
  if (directory_) target = target.size() > 3 ? target.substr(3) : "/";
  return target;
}

Outcome<void> HostFiles::Access(const std::string& path, Rights rights, LastLink last) const {
  // Only opening a file for writing would tell whether that is allowed.
  if (rights != Rights::kRead) return std::unexpected(PathError::kNotRecorded);
  if (!directory_ && path == "/") return {};
  const auto native = Directory::Native(directory_, path);
  if (!native) return std::unexpected(native.error());
  const auto file = OpenNative(*native, GENERIC_READ, last);
  if (!file) return std::unexpected(file.error());
  return {};
}

Outcome<std::vector<DirectoryEntry>> HostFiles::List(const std::string& path, LastLink last) const {
  std::vector<DirectoryEntry> entries;
  if (!directory_ && path == "/") {
    const DWORD drives = GetLogicalDrives();
    for (int i = 0; i < 26; ++i) {
      if ((drives >> i & 1) != 0)
        entries.push_back({{static_cast<char>('A' + i), ':'}, FileType::kDirectory});
    }
    return entries;
  }
  const auto status = Status(path, last);
  if (!status) return std::unexpected(status.error());
  if (status->type != FileType::kDirectory) return std::unexpected(PathError::kNotDirectory);
  auto native = Directory::Native(directory_, path);
  if (!native) return std::unexpected(native.error());
  *native += native->ends_with(L'\\') ? L"*" : L"\\*";
  WIN32_FIND_DATAW found;
  const HANDLE search = FindFirstFileExW(native->c_str(), FindExInfoBasic, &found, FindExSearchNameMatch,
                                         nullptr, FIND_FIRST_EX_LARGE_FETCH);
  if (search == INVALID_HANDLE_VALUE) {
    if (GetLastError() == ERROR_FILE_NOT_FOUND) return entries;  // an empty drive
    return LastError();
  }
  do {
    std::string name = Utf8(found.cFileName);
    if (name == "." || name == "..") continue;
    entries.push_back({std::move(name), TypeOf(found.dwFileAttributes, found.dwReserved0)});
  } while (FindNextFileW(search, &found) != 0);
  const DWORD end = GetLastError();
  FindClose(search);
  if (end != ERROR_NO_MORE_FILES) return std::unexpected(PathErrorOf(end));
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

}  // namespace culprit::system
