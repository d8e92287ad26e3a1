#include "image/squashfs/blocks.h"

#include <array>

namespace culprit::image {
namespace {

using base::ErrorCode;

constexpr size_t kMostKept = 32 << 20;
constexpr uint16_t kMetadataPlain = 0x8000;
constexpr uint32_t kDataPlain = 1 << 24;

}  // namespace

base::Result<void> ReadExactly(const base::ByteSource& bytes, uint64_t at, std::span<std::byte> out) {
  const auto got = bytes.ReadAt(at, out);
  if (!got) return std::unexpected(got.error());
  if (*got != out.size()) return base::Fail(ErrorCode::kBadFormat, "truncated, or contains a wrong offset");
  return {};
}

base::Result<SquashfsBlocks::Metadata> SquashfsBlocks::ReadMetadata(uint64_t at) const {
  std::array<std::byte, 2> header;
  if (auto read = ReadExactly(*file_, at, header); !read) return std::unexpected(read.error());
  const auto word = LittleAt<uint16_t>(header, 0);
  const uint32_t size = word & ~uint32_t{kMetadataPlain};
  if (size == 0 || size > kMetadataBlock) return base::Fail(ErrorCode::kBadFormat, "a table is damaged");
  auto bytes = Unpack({at + header.size(), size}, (word & kMetadataPlain) == 0, kMetadataBlock);
  if (!bytes) return std::unexpected(bytes.error());
  return Metadata{*std::move(bytes), at + header.size() + size};
}

base::Result<SquashfsBlocks::Bytes> SquashfsBlocks::ReadData(uint64_t at, uint32_t stored,
                                                             size_t most) const {
  const uint32_t size = stored & ~kDataPlain;
  if (size == 0 || size > most) return base::Fail(ErrorCode::kBadFormat, "the size of a block is wrong");
  return Unpack({at, size}, (stored & kDataPlain) == 0, most);
}

base::Result<SquashfsBlocks::Bytes> SquashfsBlocks::Unpack(Key key, bool compressed, size_t most) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      kept_.splice(kept_.begin(), kept_, found->second);
      return found->second->bytes;
    }
  }
  std::vector<std::byte> bytes(key.second);
  if (auto read = ReadExactly(*file_, key.first, bytes); !read) return std::unexpected(read.error());
  if (compressed) {
    std::vector<std::byte> unpacked(most);
    const auto written = packed::UnpackBlock(format_, bytes, unpacked);
    if (!written) return std::unexpected(written.error());
    unpacked.resize(*written);
    bytes = std::move(unpacked);
  }
  const Bytes shared = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  Keep(key, shared);
  return shared;
}

void SquashfsBlocks::Keep(const Key& key, const Bytes& bytes) const {
  const std::lock_guard lock(mutex_);
  if (by_key_.contains(key)) return;  // another thread was faster
  kept_.push_front({key, bytes});
  by_key_.emplace(key, kept_.begin());
  kept_bytes_ += bytes->capacity();
  while (kept_bytes_ > kMostKept && kept_.size() > 1) {
    kept_bytes_ -= kept_.back().bytes->capacity();
    by_key_.erase(kept_.back().key);
    kept_.pop_back();
  }
}

}  // namespace culprit::image
