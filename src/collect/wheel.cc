#include "collect/wheel.h"

#include <functional>
#include <map>
#include <optional>

#include "base/text.h"
#include "binfmt/zip/zip.h"

namespace culprit::collect {
namespace {

using base::PathError;
using system::DirectoryEntry;
using system::FileStatus;
using system::FileType;
using system::OpenFile;
using system::Outcome;
using system::System;

// A member that keeps the archive open as long as it is read.
class MemberSource final : public base::ByteSource {
 public:
  MemberSource(std::shared_ptr<const base::ByteSource> archive, std::unique_ptr<base::ByteSource> member)
      : archive_(std::move(archive)), member_(std::move(member)) {}
  uint64_t size() const override { return member_->size(); }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    return member_->ReadAt(offset, out);
  }

 private:
  std::shared_ptr<const base::ByteSource> archive_;
  std::unique_ptr<base::ByteSource> member_;
};

// Where pip puts a member, relative to site-packages: "x.data/purelib/a" becomes "a", scripts and headers go
// elsewhere and are left out (""). Names that climb out are left out as well.
std::string InstalledName(const std::string& name) {
  std::string clean = base::CleanPath(name);
  for (const std::string& component : base::Split(clean, '/')) {
    if (component == ".." || component == ".") return "";
  }
  if (clean.starts_with('/')) return "";
  const size_t slash = clean.find('/');
  if (slash == std::string::npos || !clean.substr(0, slash).ends_with(".data")) return clean;
  const std::string rest = clean.substr(slash + 1);
  for (const std::string_view scheme : {"purelib/", "platlib/"}) {
    if (rest.starts_with(scheme)) return rest.substr(scheme.size());
  }
  return "";
}

class Wheel final : public System {
 public:
  Wheel(std::shared_ptr<const System> machine, std::string path,
        std::shared_ptr<const base::ByteSource> archive, const std::vector<binfmt::ZipMember>& members)
      : machine_(std::move(machine)), path_(std::move(path)), archive_(std::move(archive)) {
    for (const binfmt::ZipMember& member : members) {
      const std::string name = InstalledName(member.name);
      if (name.empty() || member.name.ends_with('/')) continue;
      files_[name] = member;
    }
  }

  Outcome<OpenFile> Open(const std::string& path) const override {
    const auto name = Inside(path);
    if (!name) return machine_->Open(Leave(path));
    const auto status = Stat(path);
    if (!status) return std::unexpected(status.error());
    if (status->type == FileType::kDirectory) return OpenFile{*status, nullptr};
    auto member = binfmt::OpenZipMember(*archive_, files_.at(*name));
    if (!member) return std::unexpected(PathError::kOther);
    return OpenFile{*status, std::make_unique<MemberSource>(archive_, std::move(*member))};
  }
  Outcome<FileStatus> Stat(const std::string& path) const override {
    const auto name = Inside(path);
    if (!name) return machine_->Stat(Leave(path));
    const uint64_t identity = std::hash<std::string>()(*name);
    if (IsDirectory(*name)) {
      return FileStatus{.type = FileType::kDirectory, .device = kDevice, .inode = identity, .mode = 0755};
    }
    const auto file = files_.find(*name);
    if (file != files_.end()) {
      return FileStatus{.type = FileType::kRegular,
                        .size = file->second.size,
                        .device = kDevice,
                        .inode = identity,
                        .mode = 0644};
    }
    for (std::string_view parent = base::DirName(*name); !parent.empty(); parent = base::DirName(parent)) {
      if (files_.contains(std::string(parent))) return std::unexpected(PathError::kNotDirectory);
    }
    return std::unexpected(PathError::kNoEntry);
  }
  Outcome<FileStatus> LinkStat(const std::string& path) const override {
    return Inside(path) ? Stat(path) : machine_->LinkStat(Leave(path));
  }
  Outcome<std::string> ReadLink(const std::string& path) const override {
    if (!Inside(path)) return machine_->ReadLink(Leave(path));
    const auto status = Stat(path);
    return std::unexpected(status ? PathError::kOther : status.error());
  }
  Outcome<std::string> RealPath(const std::string& path) const override {
    const auto name = Inside(path);
    if (!name) return machine_->RealPath(Leave(path));
    const auto status = Stat(path);
    if (!status) return std::unexpected(status.error());
    return name->empty() ? path_ : path_ + "/" + *name;
  }
  Outcome<void> Access(const std::string& path, system::Rights rights) const override {
    if (!Inside(path)) return machine_->Access(Leave(path), rights);
    const auto status = Stat(path);
    if (!status) return std::unexpected(status.error());
    return {};
  }
  Outcome<std::vector<DirectoryEntry>> List(const std::string& path) const override {
    const auto name = Inside(path);
    if (!name) return machine_->List(Leave(path));
    if (!IsDirectory(*name)) {
      const auto status = Stat(path);
      return std::unexpected(status ? PathError::kNotDirectory : status.error());
    }
    const std::string prefix = name->empty() ? "" : *name + "/";
    std::map<std::string, FileType> below;
    for (auto file = files_.lower_bound(prefix); file != files_.end() && file->first.starts_with(prefix);) {
      const std::string_view rest = std::string_view(file->first).substr(prefix.size());
      const size_t slash = rest.find('/');
      std::string entry(rest.substr(0, slash));
      if (slash == std::string_view::npos) {
        below.emplace(std::move(entry), FileType::kRegular);
        ++file;
      } else {  // past all that is deeper
        file = files_.lower_bound(prefix + entry + static_cast<char>('/' + 1));
        below[std::move(entry)] = FileType::kDirectory;
      }
    }
    std::vector<DirectoryEntry> entries;
    for (const auto& [entry, type] : below) entries.push_back(DirectoryEntry{entry, type});
    return entries;
  }
  std::map<std::string, std::string> Environment() const override { return machine_->Environment(); }
  std::string WorkingDirectory() const override { return machine_->WorkingDirectory(); }
  base::Cpu HostCpu() const override { return machine_->HostCpu(); }
  base::Platform platform() const override { return machine_->platform(); }
  Outcome<system::RegistryKey> ReadRegistry(const std::string& key) const override {
    return machine_->ReadRegistry(key);
  }

 private:
  static constexpr uint64_t kDevice = ~uint64_t{0};  // of no real file system

  // "" is the wheel itself.
  bool IsDirectory(const std::string& name) const {
    if (name.empty()) return true;
    const auto below = files_.lower_bound(name + "/");
    return below != files_.end() && below->first.starts_with(name + "/");
  }

  // A path that leaves the wheel by ".." begins anew beside it: to the machine the wheel is no directory.
  std::string Leave(std::string path) const {
    while (path.starts_with(path_ + "/")) {
      const std::vector<std::string> components = base::SplitWords(path.substr(path_.size()), "/");
      size_t depth = 0, at = 0;
      for (; at < components.size() && (depth > 0 || components[at] != ".."); ++at) {
        if (components[at] == ".") continue;
        components[at] == ".." ? --depth : ++depth;
      }
      if (at == components.size()) break;
      path = base::DirName(path_);
      for (++at; at < components.size(); ++at) path = base::JoinPath(path, components[at]);
    }
    return path;
  }

  // The name inside the wheel of a path at or below it, ".." resolved; nullopt for any other path.
  std::optional<std::string> Inside(const std::string& spelled) const {
    const std::string path = Leave(spelled);
    if (!path.starts_with(path_) || (path.size() > path_.size() && path[path_.size()] != '/'))
      return std::nullopt;
    std::vector<std::string_view> components;
    const std::vector<std::string> words = base::SplitWords(path.substr(path_.size()), "/");
    for (const std::string& word : words) {
      if (word == "..") {
        components.pop_back();  // there is one, or Leave() had left
      } else if (word != ".") {
        components.push_back(word);
      }
    }
    std::string name;
    for (const std::string_view component : components) name = base::JoinPath(name, component);
    return name;
  }

  std::shared_ptr<const System> machine_;
  std::string path_;
  std::shared_ptr<const base::ByteSource> archive_;
  // Directories are there because names go through them: names may be deep, and nothing is kept per level.
  std::map<std::string, binfmt::ZipMember> files_;
};

}  // namespace

base::Result<std::unique_ptr<System>> WheelSystem(std::shared_ptr<const System> machine,
                                                  const std::string& path) {
  auto file = machine->Open(path);
  if (!file) {
    return base::Fail(base::ErrorCode::kNotReadable, path + ": " + std::string(base::Strerror(file.error())));
  }
  if (!file->bytes) return base::Fail(base::ErrorCode::kBadFormat, path + ": not a regular file");
  const std::shared_ptr<const base::ByteSource> archive = std::move(file->bytes);
  const auto members = binfmt::ReadZip(*archive);
  if (!members) return base::Fail(members.error().code, path + ": " + members.error().message);
  bool is_wheel = false;
  for (const binfmt::ZipMember& member : *members) is_wheel |= member.name.ends_with(".dist-info/METADATA");
  if (!is_wheel) return base::Fail(base::ErrorCode::kBadFormat, path + ": an archive, but not a wheel");
  return std::make_unique<Wheel>(std::move(machine), path, archive, *members);
}

}  // namespace culprit::collect
