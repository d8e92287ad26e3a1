#include "image/squashfs/squashfs_system.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace culprit::image {
namespace {

using system::FileStatus;
using system::FileType;
using system::LastLink;
using system::Outcome;
using system::PathError;
using system::PathNode;

constexpr uint64_t kOneDevice = 1;

// A file that notes what cannot be read of it.
class WatchedFile final : public base::ByteSource {
 public:
  WatchedFile(std::unique_ptr<base::ByteSource> file, std::string path, std::shared_ptr<Troubles> troubles)
      : file_(std::move(file)), path_(std::move(path)), troubles_(std::move(troubles)) {}
  uint64_t size() const override { return file_->size(); }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    auto read = file_->ReadAt(offset, out);
    if (!read) troubles_->Add(path_, read.error().message);
    return read;
  }

 private:
  std::unique_ptr<base::ByteSource> file_;
  std::string path_;
  std::shared_ptr<Troubles> troubles_;
};

FileStatus StatusOf(const SquashfsInode& inode) {
  return {inode.type, inode.size, kOneDevice, inode.number, inode.mode, inode.group};
}

bool IsName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= system::kLongestComponent &&
         name.find('/') == name.npos && name.find('\0') == name.npos;
}

}  // namespace

SquashfsSystem::SquashfsSystem(std::shared_ptr<const SquashfsVolume> volume, const Budget& budget,
                               std::shared_ptr<Troubles> troubles)
    : volume_(std::move(volume)), troubles_(std::move(troubles)), budget_(budget) {
  root_ = {.name = "", .type = FileType::kDirectory, .inode = volume_->root()};
}

std::unique_ptr<const SquashfsSystem::Nodes> SquashfsSystem::Read(const Node& directory,
                                                                  std::string_view path) const {
  const auto lose = [&](std::string why) {
    troubles_->Add(path.empty() ? "/" : std::string(path), std::move(why));
    return nullptr;
  };
  if (!entered_.insert(directory.inode).second) return lose("the same directory appears in two places");
  const auto inode = volume_->ReadInode(directory.inode);
  if (!inode) return lose(inode.error().message);
  if (inode->type != FileType::kDirectory) return lose("a directory is damaged");
  auto entries = volume_->List(*inode, budget_.entries);
  if (!entries) return lose(entries.error().message);
  auto nodes = std::make_unique<Nodes>();
  nodes->reserve(entries->size());
  for (SquashfsEntry& entry : *entries) {
    if (!IsName(entry.name)) {
      lose("it contains an entry with an invalid name");
      continue;
    }
    if (entry.name.size() > budget_.text) return lose("too many file names");
    budget_.text -= entry.name.size();
    --budget_.entries;
    nodes->push_back({.name = std::move(entry.name), .type = entry.type, .inode = entry.inode});
  }
  std::ranges::sort(*nodes, {}, &Node::name);
  const auto twice = std::ranges::unique(*nodes, {}, &Node::name);
  nodes->erase(twice.begin(), twice.end());
  return nodes;
}

const SquashfsSystem::Nodes* SquashfsSystem::Below(const Node& directory, std::string_view path) const {
  const std::lock_guard lock(mutex_);
  if (directory.below == nullptr) {
    auto nodes = Read(directory, path);
    // Nobody looks twice at what cannot be read.
    if (nodes == nullptr) nodes = std::make_unique<Nodes>();
    const_cast<Node&>(directory).below = std::move(nodes);
  }
  return directory.below.get();
}

Outcome<const SquashfsSystem::Node*> SquashfsSystem::FindIn(const Node& directory, std::string_view path,
                                                            std::string_view name) const {
  if (directory.type != FileType::kDirectory) return std::unexpected(PathError::kNotDirectory);
  const Nodes& nodes = *Below(directory, path);
  const auto found = std::ranges::lower_bound(nodes, name, {}, &Node::name);
  if (found == nodes.end() || found->name != name) return std::unexpected(PathError::kNoEntry);
  return &*found;
}

Outcome<const SquashfsSystem::Node*> SquashfsSystem::Find(std::string_view clean) const {
  const Node* node = &root_;
  for (size_t at = 0; at + 1 < clean.size();) {
    const size_t end = std::min(clean.find('/', at + 1), clean.size());
    const auto next = FindIn(*node, clean.substr(0, at), clean.substr(at + 1, end - at - 1));
    if (!next) return next;
    node = *next;
    at = end;
  }
  return node;
}

Outcome<SquashfsSystem::Found> SquashfsSystem::Walk(const std::string& path, LastLink last) const {
  // Names are asked for from left to right, so the directory of the last answer mostly holds the next one.
  std::string answered;
  const Node* there = &root_;
  const auto real = system::WalkPath(path, last, [&](const std::string& clean) -> Outcome<PathNode> {
    const size_t slash = clean.rfind('/');
    const std::string_view directory = std::string_view(clean).substr(0, slash);
    const auto node = directory == answered
                          ? FindIn(*there, directory, std::string_view(clean).substr(slash + 1))
                          : Find(clean);
    if (!node) return std::unexpected(node.error());
    if ((*node)->type == FileType::kDirectory) {
      answered = clean;
      there = *node;
    }
    if ((*node)->type != FileType::kLink) return PathNode{(*node)->type, ""};
    auto inode = InodeOf({clean, *node});
    if (!inode) return std::unexpected(inode.error());
    return PathNode{FileType::kLink, std::move(inode->link)};
  });
  if (!real) return std::unexpected(real.error());
  const auto node = Find(*real);
  if (!node) return std::unexpected(node.error());
  return Found{*real, *node};
}

Outcome<SquashfsInode> SquashfsSystem::InodeOf(const Found& found) const {
  auto inode = volume_->ReadInode(found.node->inode);
  if (inode && inode->type == found.node->type) return *std::move(inode);
  troubles_->Add(found.path, inode ? "an inode is damaged" : inode.error().message);
  return std::unexpected(PathError::kOther);
}

Outcome<FileStatus> SquashfsSystem::StatusAt(const std::string& path, LastLink last) const {
  const auto found = Walk(path, last);
  if (!found) return std::unexpected(found.error());
  const auto inode = InodeOf(*found);
  if (!inode) return std::unexpected(inode.error());
  return StatusOf(*inode);
}

Outcome<system::OpenFile> SquashfsSystem::Open(const std::string& path) const {
  const auto found = Walk(path, LastLink::kFollow);
  if (!found) return std::unexpected(found.error());
  const auto inode = InodeOf(*found);
  if (!inode) return std::unexpected(inode.error());
  system::OpenFile file{StatusOf(*inode), nullptr};
  if (inode->type != FileType::kRegular) return file;
  auto bytes = volume_->OpenFile(*inode);
  if (!bytes) {
    troubles_->Add(found->path, bytes.error().message);
    return std::unexpected(PathError::kOther);
  }
  file.bytes = std::make_unique<WatchedFile>(*std::move(bytes), found->path, troubles_);
  return file;
}

Outcome<FileStatus> SquashfsSystem::Stat(const std::string& path) const {
  return StatusAt(path, LastLink::kFollow);
}

Outcome<FileStatus> SquashfsSystem::LinkStat(const std::string& path) const {
  return StatusAt(path, LastLink::kKeep);
}

Outcome<std::string> SquashfsSystem::ReadLink(const std::string& path) const {
  const auto found = Walk(path, LastLink::kKeep);
  if (!found) return std::unexpected(found.error());
  if (found->node->type != FileType::kLink) return std::unexpected(PathError::kOther);
  auto inode = InodeOf(*found);
  if (!inode) return std::unexpected(inode.error());
  return std::move(inode->link);
}

Outcome<std::string> SquashfsSystem::RealPath(const std::string& path) const {
  auto found = Walk(path, LastLink::kFollow);
  if (!found) return std::unexpected(found.error());
  return std::move(found->path);
}

Outcome<void> SquashfsSystem::Access(const std::string& path, system::Rights) const {
  const auto found = Walk(path, LastLink::kFollow);
  if (!found) return std::unexpected(found.error());
  return {};
}

Outcome<std::vector<system::DirectoryEntry>> SquashfsSystem::List(const std::string& path) const {
  const auto found = Walk(path, LastLink::kFollow);
  if (!found) return std::unexpected(found.error());
  if (found->node->type != FileType::kDirectory) return std::unexpected(PathError::kNotDirectory);
  std::vector<system::DirectoryEntry> entries;
  const Nodes& nodes = *Below(*found->node, found->path == "/" ? "" : found->path);
  for (const Node& node : std::span(nodes).first(std::min(nodes.size(), system::kMostEntries)))
    entries.push_back({node.name, node.type});
  return entries;
}

}  // namespace culprit::image
