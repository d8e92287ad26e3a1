// Bytes of compressed layers that are kept for random access: a few megabytes in memory, the rest in a file
// without a name. What does not fit is not kept; it is read from the layer again if needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>

#include "base/error.h"
#include "system/scratch_file.h"

namespace culprit::image {

class Spool {
 public:
  // `in_memory` bytes are kept without a file, `limit` bytes at all.
  explicit Spool(uint64_t limit, uint64_t in_memory = 16 << 20) : limit_(limit), in_memory_(in_memory) {}

  // Where the bytes are from now on; nullopt if there is no room for them. From any thread.
  std::optional<uint64_t> Add(std::span<const char> bytes);
  // Exactly out.size() bytes that were added. From any thread.
  base::Result<void> Read(uint64_t at, std::span<std::byte> out) const;
  uint64_t size() const;
  // Why there is no file, or no space on its disk. What is over the limit is no failure.
  std::optional<base::Error> failure() const;
  void NoteFailure(base::Error why);

 private:
  uint64_t limit_, in_memory_;
  mutable std::shared_mutex mutex_;
  std::string memory_;  // the first bytes
  std::unique_ptr<system::ScratchFile> file_;
  uint64_t in_file_ = 0;
  std::string tail_;  // of the file, not yet written
  std::optional<base::Error> failure_;
};

}  // namespace culprit::image
