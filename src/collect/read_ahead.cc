#include "collect/read_ahead.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/text.h"
#include "binfmt/elf/section_text.h"
#include "collect/live_file_view.h"
#include "collect/toolkit/nvcc.h"
#include "system/system.h"

namespace culprit::collect {
namespace {

using base::PathError;
using system::FileStatus;
using system::FileType;
using system::Outcome;

class Lent final : public base::ByteSource {
 public:
  explicit Lent(const base::ByteSource& bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    return bytes_.ReadAt(offset, out);
  }

 private:
  const base::ByteSource& bytes_;
};

// A machine with one file.
class OneFile final : public system::System {
 public:
  OneFile(std::string path, const base::ByteSource& bytes) : path_(std::move(path)), bytes_(bytes) {}

  Outcome<system::OpenFile> Open(const std::string& path) const override {
    const auto status = Stat(path);
    if (!status) return std::unexpected(status.error());
    if (status->type != FileType::kRegular) return system::OpenFile{*status, nullptr};
    return system::OpenFile{*status, std::make_unique<Lent>(bytes_)};
  }
  Outcome<FileStatus> Stat(const std::string& path) const override {
    if (path == path_) return FileStatus{FileType::kRegular, bytes_.size(), 1, 2, 0755};
    if (path == "/" || path_.starts_with(path + "/")) return FileStatus{FileType::kDirectory, 0, 1, 1, 0755};
    return std::unexpected(PathError::kNoEntry);
  }
  Outcome<FileStatus> LinkStat(const std::string& path) const override { return Stat(path); }
  Outcome<std::string> ReadLink(const std::string&) const override {
    return std::unexpected(PathError::kOther);
  }
  Outcome<std::string> RealPath(const std::string& path) const override {
    const auto status = Stat(path);
    if (!status) return std::unexpected(status.error());
    return path;
  }
  Outcome<void> Access(const std::string& path, system::Rights) const override {
    const auto status = Stat(path);
    if (!status) return std::unexpected(status.error());
    return {};
  }
  Outcome<std::vector<system::DirectoryEntry>> List(const std::string&) const override {
    return std::unexpected(PathError::kNoEntry);
  }
  std::map<std::string, std::string> Environment() const override { return {}; }
  std::string WorkingDirectory() const override { return "/"; }
  base::Cpu HostCpu() const override { return {}; }

 private:
  std::string path_;
  const base::ByteSource& bytes_;
};

}  // namespace

void ReadAhead(const std::string& path, const base::ByteSource& bytes) {
  const OneFile machine(path, bytes);
  LiveFileView view(machine);
  const std::array<std::string, 1> process = {path};
  view.Open(path);
  view.Version(path);
  view.GpuCode(path);
  view.NamesInside(path);
  view.Has(path, "no such function");  // all that it defines
  view.Asks(path);
  view.Undefined(path, process);  // what it wants of others, and why
  const std::string_view name = base::BaseName(path);
  if (name.starts_with("libcuda.so")) binfmt::ReadElfSection(bytes, ".note.cuda.fwd_compatibility", 64 << 10);
  if (name.ends_with(".ko")) {
    std::array<std::byte, 64> signature;
    binfmt::ReadElfSection(bytes, ".modinfo", 1 << 20);
    static_cast<void>(bytes.ReadAt(bytes.size() - std::min<uint64_t>(bytes.size(), 64), signature));
  }
  if (name == "nvcc") ReadNvcc(machine, path);
}

}  // namespace culprit::collect
