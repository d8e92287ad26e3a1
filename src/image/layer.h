// A layer whose files can be read at any offset. If something of a compressed layer was not kept, the layer
// is read again; other readers wait for the same pass or the next one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "image/layer_contents.h"

namespace culprit::image {

class Layer {
 public:
  // `blob`: null for a layer that came only once.
  Layer(SharedBytes blob, LayerContents contents, std::shared_ptr<Spool> spool);

  const std::vector<LayerEntry>& entries() const { return contents_.entries; }
  // As ByteSource::ReadAt, of the entry with this number.
  base::Result<size_t> ReadAt(size_t entry, uint64_t offset, std::span<std::byte> out) const;
  // Frees the names, which are in the tree by now.
  void ForgetNames();
  // How often the layer was read again.
  int passes() const;
  // How many requested files could not be read: the layer cannot be read again, there is no space, or it is
  // damaged. An answer that needs them is "could not tell".
  size_t lost() const;

 private:
  using Pieces = std::span<const KeptPiece>;
  base::Result<void> ReadPlain(const LayerEntry& entry, uint64_t offset, std::span<std::byte> out) const;
  // False: not all of it is there.
  base::Result<bool> ReadPieces(Pieces pieces, uint64_t offset, std::span<std::byte> out) const;
  base::Result<void> Fetch(size_t entry) const;
  const std::vector<KeptPiece>* Fetched(size_t entry) const;
  std::unexpected<base::Error> Lose(size_t entry, base::Error why) const;

  SharedBytes blob_;
  LayerContents contents_;
  std::shared_ptr<Spool> spool_;
  mutable std::mutex mutex_;  // for all below
  mutable std::condition_variable passed_;
  mutable bool passing_ = false;
  mutable int passes_ = 0;
  mutable std::set<size_t> wanted_, lost_;
  mutable std::map<size_t, std::vector<KeptPiece>> fetched_;
};

}  // namespace culprit::image
