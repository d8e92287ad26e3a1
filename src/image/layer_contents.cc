// A compressed layer goes through a chain: its bytes are hashed, unpacked, counted, and read as tar.
#include "image/layer_contents.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/bytes/sha256.h"
#include "image/keep.h"
#include "image/tar_input.h"
#include "packed/ahead_stream.h"
#include "packed/unpacked.h"

namespace culprit::image {
namespace {

constexpr packed::Unpacking kUnpacking = {.what = "layer", .cut = packed::Unpacking::Cut::kError};
constexpr size_t kLongestPath = 4096;

// Passes bytes on, with their hash and their number.
class HashedStream final : public base::ByteStream {
 public:
  explicit HashedStream(base::ByteStream& stream) : stream_(stream) {}
  base::Result<size_t> Read(std::span<char> out) override {
    const auto got = stream_.Read(out);
    if (!got) return got;
    hash_.Add(std::as_bytes(out.first(*got)));
    count_.fetch_add(*got, std::memory_order_relaxed);
    return got;
  }
  // So far. From any thread.
  uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  // Of everything up to the end, which is read for that. Call it once.
  base::Result<std::string> Digest() {
    std::vector<char> rest(256 << 10);
    while (true) {
      const auto got = Read(rest);
      if (!got) return std::unexpected(got.error());
      if (*got == 0) return "sha256:" + hash_.Hex();
    }
  }

 private:
  base::ByteStream& stream_;
  base::Sha256 hash_;
  std::atomic<uint64_t> count_ = 0;
};

// Lets a chain of streams read from one that somebody else owns.
class BorrowedStream final : public base::ByteStream {
 public:
  explicit BorrowedStream(base::ByteStream& stream) : stream_(stream) {}
  base::Result<size_t> Read(std::span<char> out) override { return stream_.Read(out); }

 private:
  base::ByteStream& stream_;
};

std::string Gigabytes(uint64_t bytes) { return std::to_string(bytes >> 30) + " GiB"; }

// Unpacked bytes, as many as the budget allows.
class BoundedStream final : public base::ByteStream {
 public:
  BoundedStream(std::unique_ptr<base::ByteStream> stream, const HashedStream& packed, Budget& budget)
      : stream_(std::move(stream)), packed_(packed), budget_(budget) {}
  base::Result<size_t> Read(std::span<char> out) override {
    const auto got = stream_->Read(out);
    if (!got) return got;
    count_ += *got;
    if (*got > budget_.unpacked) {
      return base::Fail(base::ErrorCode::kTooLarge, "the unpacked layers are larger than culprit reads (" +
                                                        Gigabytes(Budget().unpacked) + ")");
    }
    budget_.unpacked -= *got;
    if (count_ > budget_.free && count_ / budget_.ratio > packed_.count()) {
      return base::Fail(base::ErrorCode::kTooLarge,
                        "unpacks to more than " + std::to_string(budget_.ratio) + " times its size");
    }
    return got;
  }

 private:
  std::unique_ptr<base::ByteStream> stream_;
  const HashedStream& packed_;
  Budget& budget_;
  uint64_t count_ = 0;
};

base::Result<void> Count(const binfmt::TarEntry& entry, Budget& budget) {
  const uint64_t text = entry.path.size() + entry.link.size();
  if (budget.entries == 0)
    return base::Fail(base::ErrorCode::kTooLarge,
                      "the image has more than " + std::to_string(Budget().entries) + " entries");
  if (text > budget.text)
    return base::Fail(base::ErrorCode::kTooLarge, "the file names in the image are too long in total");
  --budget.entries;
  budget.text -= text;
  return {};
}

// Every member, until the end or the first problem.
base::Result<void> ReadEntries(binfmt::TarReader& reader, Keeper* keeper, Budget& budget,
                               LayerContents& contents) {
  while (true) {
    auto read = reader.Next();
    if (!read) return std::unexpected(read.error());
    if (!*read) return {};
    binfmt::TarEntry& entry = **read;
    if (auto counted = Count(entry, budget); !counted) return counted;
    LayerEntry& made = contents.entries.emplace_back();
    made.type = entry.type;
    made.mode = entry.mode;
    made.group = entry.group;
    made.size = entry.size;
    made.data = entry.data;
    made.first_piece = static_cast<uint32_t>(contents.kept.size());
    if (keeper != nullptr) {
      auto pieces = keeper->Keep(reader, entry);
      if (!pieces) return std::unexpected(pieces.error());
      made.piece_count = static_cast<uint32_t>(pieces->size());
      contents.kept.insert(contents.kept.end(), pieces->begin(), pieces->end());
    }
    if (entry.extents) {
      made.sparse = static_cast<int32_t>(contents.sparse.size());
      contents.sparse.push_back(*std::move(entry.extents));
    }
    made.path = std::move(entry.path);
    made.link = std::move(entry.link);
    if (made.path.size() > kLongestPath) made.path.resize(kLongestPath + 1);  // no file can have this name
  }
}

LayerContents ReadPlain(const base::ByteSource& blob, const LayerReading& reading) {
  constexpr uint64_t kHashedAnyway = 64 << 20;
  LayerContents contents{.plain = true};
  BytesInput input(blob);
  binfmt::TarReader reader(input);
  if (auto read = ReadEntries(reader, nullptr, reading.budget, contents); !read)
    contents.problem = read.error();
  if (!reading.hash_plain && blob.size() > kHashedAnyway) return contents;
  BytesStream stream(blob);
  if (auto digest = HashedStream(stream).Digest()) contents.digest = *std::move(digest);
  return contents;
}

bool IsPackedBlob(const base::ByteSource& blob) {
  std::array<char, 6> start{};
  const auto got = blob.ReadAt(0, std::as_writable_bytes(std::span(start)));
  return got && packed::IsPacked({start.data(), *got});
}

}  // namespace

LayerContents ReadLayerOnce(base::ByteStream& stream, const LayerReading& reading) {
  LayerContents contents;
  HashedStream packed(stream);
  {
    // Three threads: one reads and hashes, one unpacks, and this one looks at the files.
    packed::AheadStream hashed(packed);
    BoundedStream bounded(packed::Unpacked(std::make_unique<BorrowedStream>(hashed), kUnpacking), packed,
                          reading.budget);
    packed::AheadStream unpacked(bounded);
    StreamInput input(unpacked);
    binfmt::TarReader reader(input);
    Keeper keeper(reading.rules, reading.spool);
    auto read = ReadEntries(reader, &keeper, reading.budget, contents);
    // An invalid tar may be the result of damaged compressed bytes; the end of the stream tells.
    if (read || read.error().code == base::ErrorCode::kBadFormat) {
      if (auto rest = input.Skip(~uint64_t{0}); !rest) read = std::unexpected(rest.error());
    }
    if (!read) contents.problem = read.error();
  }
  if (auto digest = packed.Digest()) contents.digest = *std::move(digest);
  return contents;
}

LayerContents ReadLayer(const SharedBytes& blob, const LayerReading& reading) {
  if (!IsPackedBlob(*blob)) return ReadPlain(*blob, reading);
  BytesStream stream(*blob);
  return ReadLayerOnce(stream, reading);
}

base::Result<void> ReadAgain(const SharedBytes& blob, Spool& spool,
                             const std::function<Wanted(size_t)>& wanted,
                             const std::function<void(size_t, std::vector<KeptPiece>)>& keep) {
  const auto stream = packed::Unpacked(std::make_unique<BytesStream>(*blob), kUnpacking);
  packed::AheadStream unpacked(*stream);
  StreamInput input(unpacked);
  binfmt::TarReader reader(input);
  const KeepRules rules;
  Keeper keeper(rules, spool);
  for (size_t number = 0;; ++number) {
    const auto entry = reader.Next();
    if (!entry) return std::unexpected(entry.error());
    if (!*entry) return {};
    const Wanted now = wanted(number);
    if (now == Wanted::kNothingMore) return {};
    if (now == Wanted::kNo) continue;
    auto pieces = keeper.KeepWhole(reader, **entry);
    if (!pieces) return std::unexpected(pieces.error());
    keep(number, *std::move(pieces));
  }
}

}  // namespace culprit::image
