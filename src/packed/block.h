// One compressed block of known size at most -> its bytes: squashfs packs each block of a file by itself.
#pragma once

#include <cstddef>
#include <span>

#include "base/error.h"

namespace culprit::packed {

enum class BlockFormat { kZlib, kXz, kLz4, kZstd };

// How many bytes of `out` were written. An error: damaged, or more than fit.
base::Result<size_t> UnpackBlock(BlockFormat format, std::span<const std::byte> in, std::span<std::byte> out);

}  // namespace culprit::packed
