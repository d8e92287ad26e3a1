#include "image/layer.h"

#include <algorithm>
#include <utility>

namespace culprit::image {

Layer::Layer(SharedBytes blob, LayerContents contents, std::shared_ptr<Spool> spool)
    : blob_(std::move(blob)), contents_(std::move(contents)), spool_(std::move(spool)) {}

void Layer::ForgetNames() {
  for (LayerEntry& entry : contents_.entries) {
    std::string().swap(entry.path);
    std::string().swap(entry.link);
  }
}

int Layer::passes() const {
  const std::lock_guard lock(mutex_);
  return passes_;
}

size_t Layer::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_.size();
}

std::unexpected<base::Error> Layer::Lose(size_t entry, base::Error why) const {
  const std::lock_guard lock(mutex_);
  lost_.insert(entry);
  return std::unexpected(std::move(why));
}

base::Result<size_t> Layer::ReadAt(size_t number, uint64_t offset, std::span<std::byte> out) const {
  const LayerEntry& entry = contents_.entries[number];
  if (offset >= entry.size || out.empty()) return size_t{0};
  out = out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), entry.size - offset)));
  if (contents_.plain) {
    if (auto read = ReadPlain(entry, offset, out); !read) return Lose(number, read.error());
    return out.size();
  }
  auto there =
      ReadPieces(std::span(contents_.kept).subspan(entry.first_piece, entry.piece_count), offset, out);
  if (!there) return Lose(number, there.error());
  if (*there) return out.size();
  if (auto fetched = Fetch(number); !fetched) return Lose(number, fetched.error());
  there = ReadPieces(*Fetched(number), offset, out);
  if (!there) return Lose(number, there.error());
  if (!*there) {
    return Lose(number,
                {base::ErrorCode::kNotReadable,
                 "no space for it in the temporary directory; set TMPDIR to a directory with free space"});
  }
  return out.size();
}

base::Result<void> Layer::ReadPlain(const LayerEntry& entry, uint64_t offset,
                                    std::span<std::byte> out) const {
  const auto read = [&](uint64_t at, std::span<std::byte> here) -> base::Result<void> {
    const auto got = blob_->ReadAt(at, here);
    if (!got) return std::unexpected(got.error());
    if (*got != here.size()) return base::Fail(base::ErrorCode::kBadFormat, "the layer is truncated");
    return {};
  };
  if (entry.sparse < 0) return read(entry.data + offset, out);
  std::ranges::fill(out, std::byte{0});
  uint64_t stored = entry.data;
  for (const binfmt::TarExtent& extent : contents_.sparse[static_cast<size_t>(entry.sparse)]) {
    const uint64_t begin = std::max(extent.at, offset);
    const uint64_t end = std::min(extent.at + extent.size, offset + out.size());
    if (begin < end) {
      const auto here = out.subspan(static_cast<size_t>(begin - offset), static_cast<size_t>(end - begin));
      if (auto done = read(stored + (begin - extent.at), here); !done) return done;
    }
    stored += extent.size;
  }
  return {};
}

base::Result<bool> Layer::ReadPieces(Pieces pieces, uint64_t offset, std::span<std::byte> out) const {
  auto piece = std::ranges::upper_bound(pieces, offset, {}, &KeptPiece::at);
  if (piece == pieces.begin()) return false;
  for (--piece; !out.empty(); ++piece) {
    if (piece == pieces.end() || offset < piece->at || offset - piece->at >= piece->size) return false;
    const uint64_t skip = offset - piece->at;
    const auto here = out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), piece->size - skip)));
    if (piece->spool == kHole) {
      std::ranges::fill(here, std::byte{0});
    } else if (auto read = spool_->Read(piece->spool + skip, here); !read) {
      return std::unexpected(read.error());
    }
    out = out.subspan(here.size());
    offset += here.size();
  }
  return true;
}

const std::vector<KeptPiece>* Layer::Fetched(size_t entry) const {
  const std::lock_guard lock(mutex_);
  const auto found = fetched_.find(entry);
  return found == fetched_.end() ? nullptr : &found->second;  // never changes, never moves
}

base::Result<void> Layer::Fetch(size_t entry) const {
  if (blob_ == nullptr) {
    return base::Fail(base::ErrorCode::kNotReadable,
                      "lost from the stream; save the image to a file and check that");
  }
  std::unique_lock lock(mutex_);
  if (!fetched_.contains(entry)) wanted_.insert(entry);
  passed_.wait(lock, [&] { return !passing_ || fetched_.contains(entry); });
  if (fetched_.contains(entry)) return {};
  passing_ = true;
  ++passes_;
  lock.unlock();
  // Whoever asks before the pass is there gets his file too.
  const auto wanted = [&](size_t number) {
    const std::lock_guard held(mutex_);
    if (wanted_.empty() || *wanted_.rbegin() < number) return Wanted::kNothingMore;
    return wanted_.contains(number) ? Wanted::kYes : Wanted::kNo;
  };
  const auto keep = [&](size_t number, std::vector<KeptPiece> pieces) {
    const std::lock_guard held(mutex_);
    wanted_.erase(number);
    fetched_.emplace(number, std::move(pieces));
    passed_.notify_all();
  };
  const auto read = ReadAgain(blob_, *spool_, wanted, keep);
  lock.lock();
  passing_ = false;
  passed_.notify_all();
  if (fetched_.contains(entry)) return {};
  wanted_.erase(entry);
  if (!read) return read;
  return base::Fail(base::ErrorCode::kBadFormat, "the layer changed while it was read");
}

}  // namespace culprit::image
