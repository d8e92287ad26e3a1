// A layer whose files can be read at any offset. Of a compressed one, what was not kept is fetched by going
// over the layer again; whoever asks meanwhile for another file of it waits for the same pass, or the next.
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
  // Forgets the names, which are in the tree by now.
  void ForgetNames();
  // How often the layer was read again.
  int passes() const;
  // How many of its files were asked for and could not be had: there was nothing to read again, no room, or
  // the layer is damaged. An answer that needed them is none.
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
