// The blocks of a squashfs, unpacked; the last ones are kept, since most reads are near each other. Any
// number of threads may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes/byte_source.h"
#include "image/blobs.h"
#include "packed/block.h"

namespace culprit::image {

inline constexpr size_t kMetadataBlock = 8192;

// A number of the format, which is little-endian throughout.
template <typename Number>
Number LittleAt(std::span<const std::byte> bytes, size_t at) {
  uint64_t number = 0;
  for (size_t i = sizeof(Number); i-- > 0;) number = number << 8 | std::to_integer<uint64_t>(bytes[at + i]);
  return static_cast<Number>(number);
}

// All of `out`, or an error.
base::Result<void> ReadExactly(const base::ByteSource& bytes, uint64_t at, std::span<std::byte> out);

class SquashfsBlocks {
 public:
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;
  struct Metadata {
    Bytes bytes;
    uint64_t next = 0;  // where the block after it begins
  };

  SquashfsBlocks(SharedBytes file, packed::BlockFormat format) : file_(std::move(file)), format_(format) {}

  const base::ByteSource& file() const { return *file_; }
  // The block of inodes, names or numbers that begins here, with its header.
  base::Result<Metadata> ReadMetadata(uint64_t at) const;
  // A block of files: `stored` is its size with the bit for "not compressed". At most `most` bytes.
  base::Result<Bytes> ReadData(uint64_t at, uint32_t stored, size_t most) const;

 private:
  using Key = std::pair<uint64_t, uint32_t>;  // where, and how many bytes
  struct Kept {
    Key key;
    Bytes bytes;
  };
  base::Result<Bytes> Unpack(Key key, bool compressed, size_t most) const;
  void Keep(const Key& key, const Bytes& bytes) const;

  SharedBytes file_;
  packed::BlockFormat format_;
  mutable std::mutex mutex_;      // for all below
  mutable std::list<Kept> kept_;  // used last, first
  mutable std::map<Key, std::list<Kept>::iterator> by_key_;
  mutable size_t kept_bytes_ = 0;
};

}  // namespace culprit::image
