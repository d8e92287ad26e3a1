#include "system/memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "base/windows/path.h"

namespace culprit::system {
namespace {

[[noreturn]] void StopTest(const char* what, const std::string& path) {
  std::fprintf(stderr, "MemorySystem: %s: %s\n", what, path.c_str());
  std::abort();
}

}  // namespace

struct MemorySystem::Inode {
  FileType type = FileType::kOther;
  std::string bytes;  // of a file its start, zeros follow up to `size`; of a link its target
  uint64_t size = 0;
  uint32_t mode = 0;
  uint32_t group = 0;
  bool unreadable = false;
  uint64_t number = 0;

  FileStatus status() const { return {type, size, /*device=*/1, number, mode, group}; }
};

class MemorySystem::Source final : public base::ByteSource {
 public:
  explicit Source(InodePtr inode) : inode_(std::move(inode)), size_(inode_->size) {}
  uint64_t size() const override { return size_; }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= inode_->size) return size_t{0};
    const size_t n = static_cast<size_t>(std::min<uint64_t>(out.size(), inode_->size - offset));
    std::ranges::fill(out.first(n), std::byte{0});
    if (offset < inode_->bytes.size()) {
      const auto start = static_cast<size_t>(offset);
      std::memcpy(out.data(), inode_->bytes.data() + start, std::min(n, inode_->bytes.size() - start));
    }
    return n;
  }

 private:
  InodePtr inode_;
  uint64_t size_;  // when it was opened
};

MemorySystem::MemorySystem() { Add("/", {.type = FileType::kDirectory, .mode = 0755}); }
MemorySystem::~MemorySystem() = default;

bool MemorySystem::NameLess::operator()(const std::string& a, const std::string& b) const {
  return ignore_case ? base::FoldCase(a) < base::FoldCase(b) : a < b;
}

void MemorySystem::SetPlatform(base::Platform platform) {
  if (nodes_.size() > 1) StopTest("its platform is set", "too late");
  platform_ = platform;
  const bool windows = platform == base::Platform::kWindows;
  nodes_ = decltype(nodes_)(NameLess{windows});
  Add("/", {.type = FileType::kDirectory, .mode = 0755});
  working_directory_ = windows ? "/C:" : "/";
}

void MemorySystem::AddRegistryKey(const std::string& key, const std::map<std::string, std::string>& values) {
  std::string at;
  for (const std::string& name : base::SplitWords(key, "/")) {
    if (!at.empty()) {
      std::vector<std::string>& below = registry_[at].keys;
      if (std::ranges::none_of(below, [&](const auto& known) { return base::SameName(known, name); })) {
        below.insert(std::ranges::lower_bound(below, name), name);
      }
      at += '/';
    }
    at += name;
  }
  for (const auto& [name, value] : values) registry_[at].values.insert_or_assign(name, value);
  registry_.try_emplace(at);
}

Outcome<RegistryKey> MemorySystem::ReadRegistry(const std::string& key) const {
  Log(key);
  if (registry_.empty()) return std::unexpected(PathError::kNotRecorded);
  const auto found = registry_.find(key);
  if (found == registry_.end()) return std::unexpected(PathError::kNoEntry);
  return found->second;
}

void MemorySystem::Add(const std::string& path, Inode inode) {
  inode.number = ++last_inode_;
  nodes_[path] = std::make_shared<Inode>(std::move(inode));
}

std::string MemorySystem::Place(const std::string& path) {
  if (CheckPath(path) != PathError::kNone) StopTest("not a path", path);
  std::string at = "/";
  const std::vector<std::string> names = base::SplitWords(path, "/");
  for (size_t i = 0; i < names.size(); ++i) {
    at = base::JoinPath(at, names[i]);
    if (i + 1 == names.size()) break;
    if (const auto real = Walk(at, LastLink::kFollow)) {
      at = *real;
      if (nodes_.at(at)->type != FileType::kDirectory) StopTest("not a directory", at);
    } else if (real.error() == PathError::kNoEntry && !nodes_.contains(at)) {
      Add(at, {.type = FileType::kDirectory, .mode = 0755});
    } else {
      StopTest("cannot be made", at);
    }
  }
  const auto old = nodes_.find(at);
  if (old != nodes_.end() && old->second->type == FileType::kDirectory) StopTest("is a directory", at);
  return at;
}

void MemorySystem::AddFile(const std::string& path, std::string bytes, uint32_t mode) {
  const uint64_t size = bytes.size();
  Add(Place(path), {.type = FileType::kRegular, .bytes = std::move(bytes), .size = size, .mode = mode});
}

void MemorySystem::AddSparseFile(const std::string& path, uint64_t size) {
  Add(Place(path), {.type = FileType::kRegular, .size = size, .mode = 0644});
}

void MemorySystem::AddDirectory(const std::string& path, uint32_t mode) {
  if (const auto real = Walk(path, LastLink::kFollow)) {
    if (nodes_.at(*real)->type != FileType::kDirectory) StopTest("not a directory", path);
    nodes_.at(*real)->mode = mode;
    return;
  }
  Add(Place(path), {.type = FileType::kDirectory, .mode = mode});
}

void MemorySystem::AddLink(const std::string& path, const std::string& target) {
  Add(Place(path), {.type = FileType::kLink, .bytes = target, .size = target.size(), .mode = 0777});
}

void MemorySystem::AddHardLink(const std::string& path, const std::string& existing) {
  const auto real = Walk(existing, LastLink::kKeep);
  if (!real) StopTest("nothing there", existing);
  nodes_[Place(path)] = nodes_.at(*real);
}

void MemorySystem::AddFifo(const std::string& path) {
  Add(Place(path), {.type = FileType::kOther, .mode = 0644});
}

void MemorySystem::AddDevice(const std::string& path, uint32_t mode, uint32_t group) {
  Add(Place(path), {.type = FileType::kOther, .mode = mode, .group = group});
}

MemorySystem::Inode& MemorySystem::Existing(const std::string& path) {
  const auto real = Walk(path, LastLink::kFollow);
  if (!real) StopTest("nothing there", path);
  return *nodes_.at(*real);
}

void MemorySystem::SetUnreadable(const std::string& path) { Existing(path).unreadable = true; }

void MemorySystem::SetMode(const std::string& path, uint32_t mode) { Existing(path).mode = mode; }

void MemorySystem::Truncate(const std::string& path, uint64_t size) {
  Inode& inode = Existing(path);
  inode.size = size;
  if (inode.bytes.size() > size) inode.bytes.resize(static_cast<size_t>(size));
}

void MemorySystem::Remove(const std::string& path) {
  const auto real = Walk(path, LastLink::kKeep);
  if (!real || *real == "/") StopTest("cannot be removed", path);
  nodes_.erase(*real);
  std::erase_if(nodes_, [&](const auto& node) { return node.first.starts_with(*real + "/"); });
}

std::set<std::string> MemorySystem::accessed() const {
  const std::lock_guard lock(log_mutex_);
  return accessed_;
}

void MemorySystem::ClearAccessed() {
  const std::lock_guard lock(log_mutex_);
  accessed_.clear();
}

Outcome<std::string> MemorySystem::Walk(const std::string& path, LastLink last) const {
  const bool as_text = platform_ == base::Platform::kWindows && base::IsWindowsPath(path);
  std::string asked = as_text ? base::FromWindowsPath(path) : path;
  if (as_text && path.ends_with('/')) asked += '/';  // asks for a directory
  const auto walked = WalkPath(asked, last, [this](const std::string& clean) -> Outcome<PathNode> {
    const auto parent = nodes_.find(std::string(base::DirName(clean)));
    if (parent != nodes_.end() && parent->second->unreadable) return std::unexpected(PathError::kAccess);
    const auto node = nodes_.find(clean);
    if (node == nodes_.end()) return std::unexpected(PathError::kNoEntry);
    return PathNode{node->second->type, node->second->bytes};
  });
  if (!walked) return walked;
  return nodes_.find(*walked)->first;
}

void MemorySystem::Log(const std::string& asked) const {
  const std::lock_guard lock(log_mutex_);
  accessed_.insert(asked);
}

Outcome<MemorySystem::InodePtr> MemorySystem::Ask(const std::string& path, LastLink last) const {
  Log(path);
  const auto real = Walk(path, last);
  if (!real) return std::unexpected(real.error());
  return nodes_.at(*real);
}

Outcome<OpenFile> MemorySystem::Open(const std::string& path) const {
  const Outcome<InodePtr> inode = Ask(path, LastLink::kFollow);
  if (!inode) return std::unexpected(inode.error());
  if ((*inode)->unreadable) return std::unexpected(PathError::kAccess);
  OpenFile file{(*inode)->status(), nullptr};
  if (file.status.type == FileType::kRegular) file.bytes = std::make_unique<Source>(*inode);
  return file;
}

Outcome<FileStatus> MemorySystem::Stat(const std::string& path) const {
  const Outcome<InodePtr> inode = Ask(path, LastLink::kFollow);
  if (!inode) return std::unexpected(inode.error());
  return (*inode)->status();
}

Outcome<FileStatus> MemorySystem::LinkStat(const std::string& path) const {
  const Outcome<InodePtr> inode = Ask(path, LastLink::kKeep);
  if (!inode) return std::unexpected(inode.error());
  return (*inode)->status();
}

Outcome<std::string> MemorySystem::ReadLink(const std::string& path) const {
  const Outcome<InodePtr> inode = Ask(path, LastLink::kKeep);
  if (!inode) return std::unexpected(inode.error());
  if ((*inode)->type != FileType::kLink) return std::unexpected(PathError::kOther);
  return (*inode)->bytes;
}

Outcome<std::string> MemorySystem::RealPath(const std::string& path) const {
  if (const Outcome<InodePtr> inode = Ask(path, LastLink::kFollow); !inode) {
    return std::unexpected(inode.error());
  }
  return Walk(path, LastLink::kFollow);
}

Outcome<void> MemorySystem::Access(const std::string& path, Rights rights) const {
  const Outcome<InodePtr> inode = Ask(path, LastLink::kFollow);
  if (!inode) return std::unexpected(inode.error());
  const uint32_t wanted = rights == Rights::kRead ? 04 : 06;
  if ((*inode)->unreadable || ((*inode)->mode & wanted) != wanted) return std::unexpected(PathError::kAccess);
  return {};
}

Outcome<std::vector<DirectoryEntry>> MemorySystem::List(const std::string& path) const {
  const Outcome<InodePtr> inode = Ask(path, LastLink::kFollow);
  if (!inode) return std::unexpected(inode.error());
  if ((*inode)->type != FileType::kDirectory) return std::unexpected(PathError::kNotDirectory);
  if ((*inode)->unreadable) return std::unexpected(PathError::kAccess);
  const std::string directory = *Walk(path, LastLink::kFollow);
  std::vector<DirectoryEntry> entries;
  for (const auto& [node_path, node] : nodes_) {
    if (node_path != "/" && base::DirName(node_path) == directory) {
      entries.push_back({std::string(base::BaseName(node_path)), node->type});
    }
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

}  // namespace culprit::system
