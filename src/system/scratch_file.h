// A file without a name, in the user's directory for temporary files: it takes disk space only while it is
// open, and is gone with the process however that ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes/byte_source.h"

namespace culprit::system {

class ScratchFile {
 public:
  virtual ~ScratchFile() = default;
  // Both may be called from several threads.
  virtual base::Result<void> WriteAt(uint64_t offset, std::span<const char> bytes) = 0;
  virtual base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const = 0;
};

base::Result<std::unique_ptr<ScratchFile>> MakeScratchFile();

}  // namespace culprit::system
