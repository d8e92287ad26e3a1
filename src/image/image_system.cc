#include "image/image_system.h"

#include <utility>

namespace culprit::image {
namespace {

using system::FileStatus;
using system::FileType;
using system::LastLink;
using system::OpenFile;
using system::Outcome;
using system::PathError;

class FileOfLayer final : public base::ByteSource {
 public:
  FileOfLayer(std::shared_ptr<const Layer> layer, size_t entry, uint64_t size)
      : layer_(std::move(layer)), entry_(entry), size_(size) {}
  uint64_t size() const override { return size_; }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    return layer_->ReadAt(entry_, offset, out);
  }

 private:
  std::shared_ptr<const Layer> layer_;
  size_t entry_;
  uint64_t size_;
};

}  // namespace

ImageSystem::ImageSystem(ImageConfig config, std::vector<std::shared_ptr<const Layer>> layers,
                         std::shared_ptr<const Tree> tree)
    : config_(std::move(config)), layers_(std::move(layers)), tree_(std::move(tree)) {}

Outcome<const Tree::Inode*> ImageSystem::Ask(const std::string& path, LastLink last) const {
  const auto real = tree_->Walk(path, last);
  if (!real) return std::unexpected(real.error());
  return tree_->Find(*real);
}

FileStatus ImageSystem::StatusOf(const Tree::Inode& inode) const {
  constexpr uint64_t kDevice = 1;
  return {inode.type, inode.size, kDevice, tree_->NumberOf(inode), inode.mode, inode.group};
}

Outcome<OpenFile> ImageSystem::Open(const std::string& path) const {
  const auto inode = Ask(path, LastLink::kFollow);
  if (!inode) return std::unexpected(inode.error());
  OpenFile file{StatusOf(**inode), nullptr};
  if (file.status.type == FileType::kRegular)
    file.bytes = std::make_unique<FileOfLayer>(layers_[(*inode)->layer], (*inode)->entry, (*inode)->size);
  return file;
}

Outcome<FileStatus> ImageSystem::Stat(const std::string& path) const {
  const auto inode = Ask(path, LastLink::kFollow);
  if (!inode) return std::unexpected(inode.error());
  return StatusOf(**inode);
}

Outcome<FileStatus> ImageSystem::LinkStat(const std::string& path) const {
  const auto inode = Ask(path, LastLink::kKeep);
  if (!inode) return std::unexpected(inode.error());
  return StatusOf(**inode);
}

Outcome<std::string> ImageSystem::ReadLink(const std::string& path) const {
  const auto inode = Ask(path, LastLink::kKeep);
  if (!inode) return std::unexpected(inode.error());
  if ((*inode)->type != FileType::kLink) return std::unexpected(PathError::kOther);
  return (*inode)->link;
}

Outcome<std::string> ImageSystem::RealPath(const std::string& path) const {
  return tree_->Walk(path, LastLink::kFollow);
}

Outcome<void> ImageSystem::Access(const std::string& path, system::Rights) const {
  const auto inode = Ask(path, LastLink::kFollow);
  if (!inode) return std::unexpected(inode.error());
  return {};
}

Outcome<std::vector<system::DirectoryEntry>> ImageSystem::List(const std::string& path) const {
  const auto inode = Ask(path, LastLink::kFollow);
  if (!inode) return std::unexpected(inode.error());
  if ((*inode)->type != FileType::kDirectory) return std::unexpected(PathError::kNotDirectory);
  return tree_->List(**inode);
}

std::string ImageSystem::WorkingDirectory() const {
  return config_.working_directory.starts_with('/') ? config_.working_directory : "/";
}

}  // namespace culprit::image
