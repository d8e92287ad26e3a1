#include "image/squashfs/volume.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace culprit::image {
namespace {

using base::ErrorCode;
using system::FileType;

constexpr size_t kSuperblock = 96;
constexpr uint32_t kNoFragment = 0xffffffff;
constexpr size_t kSmallestBlock = 4096, kLargestBlock = 1 << 20;
constexpr size_t kLongestLink = 65535;
constexpr size_t kMostBlocks = 1 << 20;  // of one file: 128 GiB with the usual blocks

std::unexpected<base::Error> Damaged(std::string what) {
  return base::Fail(ErrorCode::kBadFormat, std::move(what));
}

// The kinds of an inode, 1 to 7; 8 to 14 are the same with more fields.
constexpr uint16_t kKinds = 7, kDirectoryKind = 1, kFileKind = 2, kLinkKind = 3;

FileType TypeOfKind(uint16_t kind) {
  switch (kind) {
    case kDirectoryKind:
      return FileType::kDirectory;
    case kFileKind:
      return FileType::kRegular;
    case kLinkKind:
      return FileType::kLink;
    default:
      return FileType::kOther;
  }
}

base::Result<packed::BlockFormat> FormatOf(uint16_t compressor) {
  switch (compressor) {
    case 1:
      return packed::BlockFormat::kZlib;
    case 4:
      return packed::BlockFormat::kXz;
    case 5:
      return packed::BlockFormat::kLz4;
    case 6:
      return packed::BlockFormat::kZstd;
    default:
      break;
  }
  const std::string name = compressor == 2   ? "lzma"
                           : compressor == 3 ? "lzo"
                                             : "compressor " + std::to_string(compressor);
  return base::Fail(ErrorCode::kUnsupported,
                    "a squashfs compressed with " + name + "; culprit reads gzip, xz, lz4 and zstd");
}

}  // namespace

bool IsSquashfs(std::string_view start) { return start.starts_with("hsqs"); }

// Reads on from a place, from one block of a table into the next.
class SquashfsVolume::Cursor {
 public:
  Cursor(const SquashfsBlocks& blocks, SquashfsPlace place) : blocks_(blocks), place_(place) {}

  base::Result<void> Read(std::span<std::byte> out) {
    while (!out.empty()) {
      if (!block_.bytes) {
        auto block = blocks_.ReadMetadata(place_.block);
        if (!block) return std::unexpected(block.error());
        block_ = *std::move(block);
      }
      const auto& bytes = *block_.bytes;
      if (place_.offset >= bytes.size()) {
        if (place_.offset > bytes.size() || bytes.empty()) return Damaged("a table is damaged");
        place_ = {block_.next, 0};
        block_.bytes = nullptr;
        continue;
      }
      const size_t part = std::min(out.size(), bytes.size() - place_.offset);
      std::memcpy(out.data(), bytes.data() + place_.offset, part);
      place_.offset += part;
      out = out.subspan(part);
    }
    return {};
  }
  template <size_t kSize>
  base::Result<std::array<std::byte, kSize>> Take() {
    std::array<std::byte, kSize> bytes;
    if (auto read = Read(bytes); !read) return std::unexpected(read.error());
    return bytes;
  }
  SquashfsPlace place() const { return place_; }

 private:
  const SquashfsBlocks& blocks_;
  SquashfsPlace place_;
  SquashfsBlocks::Metadata block_{};
};

base::Result<std::shared_ptr<const SquashfsVolume>> SquashfsVolume::Open(SharedBytes file) {
  std::array<std::byte, kSuperblock> super;
  const uint64_t size = file->size();
  if (size < super.size() || !ReadExactly(*file, 0, super)) return Damaged("the squashfs is truncated");
  const auto block_size = LittleAt<uint32_t>(super, 12);
  const auto major = LittleAt<uint16_t>(super, 28), minor = LittleAt<uint16_t>(super, 30);
  if (!IsSquashfs({reinterpret_cast<const char*>(super.data()), 4})) return Damaged("not a squashfs");
  if (major != 4 || minor != 0) {
    return base::Fail(ErrorCode::kUnsupported, "squashfs " + std::to_string(major) + "." +
                                                   std::to_string(minor) + "; culprit reads version 4.0");
  }
  if (!std::has_single_bit(block_size) || block_size < kSmallestBlock || block_size > kLargestBlock ||
      LittleAt<uint16_t>(super, 22) != std::countr_zero(block_size))
    return Damaged("the superblock of the squashfs is damaged");
  if (LittleAt<uint64_t>(super, 40) > size) return Damaged("the squashfs is truncated");
  const auto format = FormatOf(LittleAt<uint16_t>(super, 20));
  if (!format) return std::unexpected(format.error());
  std::shared_ptr<SquashfsVolume> volume(new SquashfsVolume(std::move(file), *format));
  volume->block_size_ = block_size;
  volume->fragment_count_ = LittleAt<uint32_t>(super, 16);
  volume->root_ = LittleAt<uint64_t>(super, 32);
  volume->inodes_ = LittleAt<uint64_t>(super, 64);
  volume->directories_ = LittleAt<uint64_t>(super, 72);
  volume->fragments_ = LittleAt<uint64_t>(super, 80);
  if (volume->inodes_ >= size || volume->directories_ >= size)
    return Damaged("the superblock of the squashfs is damaged");
  if (auto read = volume->ReadGroups(LittleAt<uint64_t>(super, 48), LittleAt<uint16_t>(super, 26)); !read)
    return std::unexpected(read.error());
  const auto root = volume->ReadInode(volume->root_);
  if (!root) return std::unexpected(root.error());
  if (root->type != FileType::kDirectory) return Damaged("the root of the squashfs is not a directory");
  return volume;
}

base::Result<void> SquashfsVolume::ReadGroups(uint64_t table, size_t count) {
  constexpr size_t kInBlock = kMetadataBlock / sizeof(uint32_t);
  for (size_t first = 0; first < count; first += kInBlock) {
    std::array<std::byte, 8> place;
    if (auto read = ReadExactly(blocks_.file(), table + first / kInBlock * 8, place); !read)
      return std::unexpected(read.error());
    std::vector<std::byte> numbers(std::min(kInBlock, count - first) * sizeof(uint32_t));
    Cursor cursor(blocks_, {LittleAt<uint64_t>(place, 0), 0});
    if (auto read = cursor.Read(numbers); !read) return std::unexpected(read.error());
    for (size_t at = 0; at < numbers.size(); at += sizeof(uint32_t))
      ids_.push_back(LittleAt<uint32_t>(numbers, at));
  }
  return {};
}

base::Result<SquashfsInode> SquashfsVolume::ReadInode(uint64_t place) const {
  Cursor cursor(blocks_, {inodes_ + (place >> 16), static_cast<size_t>(place & 0xffff)});
  const auto common = cursor.Take<16>();
  if (!common) return std::unexpected(common.error());
  uint16_t kind = LittleAt<uint16_t>(*common, 0);
  if (kind == 0 || kind > 2 * kKinds) return Damaged("an inode is damaged");
  const bool extended = kind > kKinds;
  if (extended) kind = static_cast<uint16_t>(kind - kKinds);
  const auto group = LittleAt<uint16_t>(*common, 6);
  if (group >= ids_.size()) return Damaged("an inode is damaged");
  SquashfsInode inode{.type = TypeOfKind(kind),
                      .mode = LittleAt<uint16_t>(*common, 2) & 07777u,
                      .group = ids_[group],
                      .number = LittleAt<uint32_t>(*common, 12)};
  base::Result<void> rest;
  if (inode.type == FileType::kDirectory) rest = ReadDirectoryInode(cursor, extended, inode);
  if (inode.type == FileType::kRegular) rest = ReadFileInode(cursor, extended, inode);
  if (inode.type == FileType::kLink) rest = ReadSymlink(cursor, inode);
  if (!rest) return std::unexpected(rest.error());
  return inode;
}

base::Result<void> SquashfsVolume::ReadDirectoryInode(Cursor& cursor, bool extended,
                                                      SquashfsInode& inode) const {
  uint32_t block = 0, size = 0;
  if (extended) {
    const auto fields = cursor.Take<24>();
    if (!fields) return std::unexpected(fields.error());
    size = LittleAt<uint32_t>(*fields, 4);
    block = LittleAt<uint32_t>(*fields, 8);
    inode.listing.offset = LittleAt<uint16_t>(*fields, 18);
  } else {
    const auto fields = cursor.Take<16>();
    if (!fields) return std::unexpected(fields.error());
    block = LittleAt<uint32_t>(*fields, 0);
    size = LittleAt<uint16_t>(*fields, 8);
    inode.listing.offset = LittleAt<uint16_t>(*fields, 10);
  }
  inode.listing.block = directories_ + block;
  inode.listing_size = size > 3 ? size - 3 : 0;  // it counts "." and "..", which are not there
  return {};
}

base::Result<void> SquashfsVolume::ReadFileInode(Cursor& cursor, bool extended, SquashfsInode& inode) const {
  if (extended) {
    const auto fields = cursor.Take<40>();
    if (!fields) return std::unexpected(fields.error());
    inode.data = LittleAt<uint64_t>(*fields, 0);
    inode.size = LittleAt<uint64_t>(*fields, 8);
    inode.fragment = LittleAt<uint32_t>(*fields, 28);
    inode.fragment_offset = LittleAt<uint32_t>(*fields, 32);
  } else {
    const auto fields = cursor.Take<16>();
    if (!fields) return std::unexpected(fields.error());
    inode.data = LittleAt<uint32_t>(*fields, 0);
    inode.fragment = LittleAt<uint32_t>(*fields, 4);
    inode.fragment_offset = LittleAt<uint32_t>(*fields, 8);
    inode.size = LittleAt<uint32_t>(*fields, 12);
  }
  inode.blocks = cursor.place();
  return {};
}

base::Result<void> SquashfsVolume::ReadSymlink(Cursor& cursor, SquashfsInode& inode) const {
  const auto fields = cursor.Take<8>();
  if (!fields) return std::unexpected(fields.error());
  inode.size = LittleAt<uint32_t>(*fields, 4);
  if (inode.size > kLongestLink) return Damaged("a symlink is damaged");
  inode.link.resize(static_cast<size_t>(inode.size));
  return cursor.Read(std::as_writable_bytes(std::span(inode.link)));
}

base::Result<std::vector<SquashfsEntry>> SquashfsVolume::List(const SquashfsInode& directory,
                                                              size_t most) const {
  std::vector<SquashfsEntry> entries;
  Cursor cursor(blocks_, directory.listing);
  size_t left = directory.listing_size;
  // Names in groups, whose inodes are in one block.
  while (left > 0) {
    const auto group = cursor.Take<12>();
    if (!group) return std::unexpected(group.error());
    const uint64_t count = uint64_t{LittleAt<uint32_t>(*group, 0)} + 1;
    const uint64_t block = LittleAt<uint32_t>(*group, 4);
    if (left < group->size() || count > 256) return Damaged("a directory is damaged");
    left -= group->size();
    for (uint64_t i = 0; i < count; ++i) {
      const auto fields = cursor.Take<8>();
      if (!fields) return std::unexpected(fields.error());
      std::string name(size_t{LittleAt<uint16_t>(*fields, 6)} + 1, '\0');
      if (name.size() > 256 || left < fields->size() + name.size()) return Damaged("a directory is damaged");
      if (auto read = cursor.Read(std::as_writable_bytes(std::span(name))); !read)
        return std::unexpected(read.error());
      left -= fields->size() + name.size();
      if (entries.size() == most) return base::Fail(ErrorCode::kTooLarge, "too many files");
      entries.push_back({.name = std::move(name),
                         .type = TypeOfKind(LittleAt<uint16_t>(*fields, 4)),
                         .inode = block << 16 | LittleAt<uint16_t>(*fields, 0)});
    }
  }
  return entries;
}

base::Result<SquashfsBlocks::Bytes> SquashfsVolume::ReadFragment(uint32_t number) const {
  constexpr size_t kEntry = 16, kInBlock = kMetadataBlock / kEntry;
  if (number >= fragment_count_) return Damaged("the end of a file is missing");
  std::array<std::byte, 8> place;
  if (auto read = ReadExactly(blocks_.file(), fragments_ + number / kInBlock * 8, place); !read)
    return std::unexpected(read.error());
  Cursor cursor(blocks_, {LittleAt<uint64_t>(place, 0), number % kInBlock * kEntry});
  const auto entry = cursor.Take<kEntry>();
  if (!entry) return std::unexpected(entry.error());
  return blocks_.ReadData(LittleAt<uint64_t>(*entry, 0), LittleAt<uint32_t>(*entry, 8), block_size_);
}

class SquashfsVolume::File final : public base::ByteSource {
 public:
  File(std::shared_ptr<const SquashfsVolume> volume, const SquashfsInode& inode)
      : volume_(std::move(volume)),
        size_(inode.size),
        fragment_(inode.fragment),
        fragment_offset_(inode.fragment_offset) {}

  // Where each block lies.
  base::Result<void> ReadBlockList(const SquashfsInode& inode) {
    const uint64_t whole = inode.size / volume_->block_size_, rest = inode.size % volume_->block_size_;
    const uint64_t count = whole + (rest != 0 && fragment_ == kNoFragment ? 1 : 0);
    if (count > kMostBlocks) return base::Fail(ErrorCode::kTooLarge, "a file of more than a million blocks");
    Cursor cursor(volume_->blocks_, inode.blocks);
    uint64_t at = inode.data;
    for (uint64_t i = 0; i < count; ++i) {
      const auto stored = cursor.Take<4>();
      if (!stored) return std::unexpected(stored.error());
      list_.push_back({at, LittleAt<uint32_t>(*stored, 0)});
      at += list_.back().stored & 0xffffff;
    }
    return {};
  }

  uint64_t size() const override { return size_; }

  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= size_) return size_t{0};
    const uint64_t end = offset + std::min<uint64_t>(size_ - offset, out.size());
    size_t written = 0;
    while (offset + written < end) {
      const uint64_t at = offset + written;
      const auto number = static_cast<size_t>(at / volume_->block_size_);
      const auto within = static_cast<size_t>(at % volume_->block_size_);
      const uint64_t block_end = std::min<uint64_t>(end, (uint64_t{number} + 1) * volume_->block_size_);
      const auto part = out.subspan(written, static_cast<size_t>(block_end - at));
      if (auto read = ReadPart(number, within, part); !read) return std::unexpected(read.error());
      written += part.size();
    }
    return written;
  }

 private:
  struct Block {
    uint64_t at = 0;
    uint32_t stored = 0;
  };

  base::Result<void> ReadPart(size_t number, size_t within, std::span<std::byte> out) const {
    if (number < list_.size() && list_[number].stored == 0) {  // a hole
      std::ranges::fill(out, std::byte{0});
      return {};
    }
    const auto bytes =
        number < list_.size()
            ? volume_->blocks_.ReadData(list_[number].at, list_[number].stored, volume_->block_size_)
            : volume_->ReadFragment(fragment_);
    if (!bytes) return std::unexpected(bytes.error());
    if (number >= list_.size()) within += fragment_offset_;
    if (within > (*bytes)->size() || out.size() > (*bytes)->size() - within)
      return Damaged("a block is too short");
    std::memcpy(out.data(), (*bytes)->data() + within, out.size());
    return {};
  }

  std::shared_ptr<const SquashfsVolume> volume_;
  uint64_t size_;
  uint32_t fragment_, fragment_offset_;
  std::vector<Block> list_;
};

base::Result<std::unique_ptr<base::ByteSource>> SquashfsVolume::OpenFile(const SquashfsInode& file) const {
  auto opened = std::make_unique<File>(shared_from_this(), file);
  if (auto read = opened->ReadBlockList(file); !read) return std::unexpected(read.error());
  return opened;
}

}  // namespace culprit::image
