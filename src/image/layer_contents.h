// What one pass over a layer yields: its entries in order, and the bytes of compressed files that were kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes/byte_source.h"
#include "base/bytes/byte_stream.h"
#include "binfmt/tar/tar.h"
#include "image/blobs.h"
#include "image/spool.h"

namespace culprit::image {

// Bytes of a file from `at` on, in the spool.
struct KeptPiece {
  uint64_t at = 0, size = 0, spool = 0;
};
inline constexpr uint64_t kHole = ~uint64_t{0};  // as KeptPiece::spool: zeros

struct LayerEntry {
  std::string path, link;
  binfmt::TarType type = binfmt::TarType::kOther;
  uint32_t mode = 0, group = 0;
  uint64_t size = 0;
  uint64_t data = 0;                          // where its stored bytes begin in the unpacked layer
  uint32_t first_piece = 0, piece_count = 0;  // in LayerContents::kept
  int32_t sparse = -1;                        // in LayerContents::sparse; -1: not a sparse file
};

struct LayerContents {
  bool plain = false;  // not compressed: files are read where they lie
  std::vector<LayerEntry> entries;
  std::vector<KeptPiece> kept;
  std::vector<std::vector<binfmt::TarExtent>> sparse;
  std::string digest;                  // "sha256:..." of the bytes that were read; "" if not all were
  std::optional<base::Error> problem;  // why it was not read to its end
};

// What is left of the limits, for all layers together. They keep time and memory within bounds whatever an
// image claims.
struct Budget {
  size_t entries = 1'000'000;
  uint64_t text = 200 << 20;                // of names and symlinks
  uint64_t unpacked = uint64_t{100} << 30;  // bytes out of compressed layers
  // A layer may become this many times larger, once it is larger than `free`.
  uint64_t ratio = 200;
  uint64_t free = 1 << 30;
};

// Which bytes of compressed layers are kept.
struct KeepRules {
  bool all = false;
  // Reads of a library or program what will be read of it later; just that is kept. Null: keep such files
  // whole.
  std::function<void(const std::string& path, const base::ByteSource& bytes)> look;
};

struct LayerReading {
  const KeepRules& rules;
  Spool& spool;
  Budget& budget;
  bool hash_plain = false;  // compute the digest of a plain layer too, which takes reading all of it
};

// One pass over a blob that can be read at any offset.
LayerContents ReadLayer(const SharedBytes& blob, const LayerReading& reading);
// One pass over a layer that comes only once.
LayerContents ReadLayerOnce(base::ByteStream& stream, const LayerReading& reading);

// Whether a file is to be kept when a layer is read again.
enum class Wanted { kNo, kYes, kNothingMore };
// Goes over a compressed layer again and keeps some of its files whole. `wanted` is asked for each entry, by
// number and in order; `keep` gets each with its pieces.
base::Result<void> ReadAgain(const SharedBytes& blob, Spool& spool,
                             const std::function<Wanted(size_t)>& wanted,
                             const std::function<void(size_t, std::vector<KeptPiece>)>& keep);

}  // namespace culprit::image
