// A squashfs (version 4.0, what mksquashfs has written since 2009) where it lies: inodes, directories, files.
// The bytes are untrusted: every offset and size is checked.
// https://www.kernel.org/doc/html/latest/filesystems/squashfs.html
// https://dr-emann.github.io/squashfs/squashfs.html
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "image/squashfs/blocks.h"
#include "system/system.h"

namespace culprit::image {

// Whether these first bytes (4 are enough) are those of a squashfs.
bool IsSquashfs(std::string_view start);

// A place in a table of blocks: where the block begins, and the byte in it when unpacked.
struct SquashfsPlace {
  uint64_t block = 0;
  size_t offset = 0;
};

struct SquashfsInode {
  system::FileType type = system::FileType::kOther;
  uint32_t mode = 0, group = 0, number = 0;
  uint64_t size = 0;        // of a file or a symlink
  std::string link{};       // of a symlink
  SquashfsPlace listing{};  // of a directory: its names
  size_t listing_size = 0;
  uint64_t data = 0;                           // of a file: its first block
  SquashfsPlace blocks{};                      // and the list of their sizes
  uint32_t fragment = 0, fragment_offset = 0;  // where its end is, if it shares a block with other files
};

struct SquashfsEntry {
  std::string name;
  system::FileType type = system::FileType::kOther;
  uint64_t inode = 0;  // for ReadInode()
};

class SquashfsVolume : public std::enable_shared_from_this<SquashfsVolume> {
 public:
  static base::Result<std::shared_ptr<const SquashfsVolume>> Open(SharedBytes file);

  uint64_t root() const { return root_; }
  base::Result<SquashfsInode> ReadInode(uint64_t place) const;
  // In the order of the volume; an error if there are more than `most`. Names are as they stand there.
  base::Result<std::vector<SquashfsEntry>> List(const SquashfsInode& directory, size_t most) const;
  // A regular file. It keeps the volume open.
  base::Result<std::unique_ptr<base::ByteSource>> OpenFile(const SquashfsInode& file) const;

 private:
  class Cursor;
  class File;
  SquashfsVolume(SharedBytes file, packed::BlockFormat format) : blocks_(std::move(file), format) {}
  base::Result<void> ReadGroups(uint64_t table, size_t count);
  base::Result<void> ReadFileInode(Cursor& cursor, bool extended, SquashfsInode& inode) const;
  base::Result<void> ReadDirectoryInode(Cursor& cursor, bool extended, SquashfsInode& inode) const;
  base::Result<void> ReadSymlink(Cursor& cursor, SquashfsInode& inode) const;
  // The bytes of a block that several files share.
  base::Result<SquashfsBlocks::Bytes> ReadFragment(uint32_t number) const;

  SquashfsBlocks blocks_;
  size_t block_size_ = 0;
  uint64_t root_ = 0, inodes_ = 0, directories_ = 0, fragments_ = 0;
  uint32_t fragment_count_ = 0;
  std::vector<uint32_t> ids_;
};

}  // namespace culprit::image
