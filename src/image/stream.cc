#include "image/stream.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "binfmt/tar/fields.h"
#include "image/manifest.h"
#include "image/tar_input.h"
#include "packed/peeked_stream.h"
#include "packed/unpacked.h"

namespace culprit::image {
namespace {

constexpr uint64_t kAllJson = 64 << 20;
constexpr size_t kLookedAt = 64 << 10;  // of an archive, for the names of its first members
constexpr size_t kMostParts = 10'000;

class TextBytes final : public base::ByteSource {
 public:
  explicit TextBytes(std::string text) : text_(std::move(text)), bytes_(std::as_bytes(std::span(text_))) {}
  uint64_t size() const override { return bytes_.size(); }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    return bytes_.ReadAt(offset, out);
  }

 private:
  std::string text_;
  base::MemorySource bytes_;
};

// A member of the archive, of which the start was read already.
class MemberStream final : public base::ByteStream {
 public:
  MemberStream(binfmt::TarReader& reader, std::string_view start) : reader_(reader), start_(start) {}
  base::Result<size_t> Read(std::span<char> out) override {
    if (start_.empty()) return reader_.Read(out);
    const size_t n = std::min(out.size(), start_.size());
    std::copy_n(start_.data(), n, out.data());
    start_.remove_prefix(n);
    return n;
  }

 private:
  binfmt::TarReader& reader_;
  std::string_view start_;
};

// Also one with nothing in it.
bool IsTar(std::string_view start) {
  if (start.size() < 512) return false;
  const binfmt::TarBlock block(start.data(), 512);
  return binfmt::SumIsRight(block) || binfmt::IsZero(block);
}

// Whether an archive with this member first is an image: formats have few names at their top.
bool BeginsImage(std::string_view name) {
  const std::string_view top = name.substr(0, name.find('/'));
  static constexpr std::array<std::string_view, 5> kNames = {"blobs", "index.json", "manifest.json",
                                                             "oci-layout", "repositories"};
  static constexpr std::array<std::string_view, 5> kEndings = {".json", ".tar", ".tar.gz", ".tgz",
                                                               ".tar.zst"};
  const bool hexadecimal = top.size() >= 12 && top.find_first_not_of("0123456789abcdef") == top.npos;
  return hexadecimal || top.starts_with("sha256:") || std::ranges::find(kNames, top) != kNames.end() ||
         std::ranges::any_of(kEndings, [&](std::string_view end) { return top.ends_with(end); });
}

// "ID/layer.tar", as `docker save` has them whatever the ID.
bool IsLayerInFolder(std::string_view name) {
  const size_t slash = name.find('/');
  return slash != name.npos && name.substr(slash) == "/layer.tar";
}

// Whether an archive that starts like this is an image.
bool StartsImage(std::string_view start) {
  const base::MemorySource bytes(std::as_bytes(std::span(start)));
  BytesInput input(bytes);
  binfmt::TarReader reader(input);
  for (bool first = true;;) {
    const auto entry = reader.Next();
    if (!entry || !*entry) return false;
    const std::string name = MemberName((*entry)->path);
    if (name.empty()) continue;
    if ((first && BeginsImage(name)) || IsLayerInFolder(name)) return true;
    first = false;
  }
}

}  // namespace

std::string StreamedBlobs::Resolve(const std::string& name) const {
  std::string at = name;
  for (int links = 0; links < 8; ++links) {
    const auto link = links_.find(at);
    if (link == links_.end()) break;
    at = link->second;
  }
  return at;
}

SharedBytes StreamedBlobs::Find(const std::string& name) const {
  const auto found = texts_.find(Resolve(name));
  return found == texts_.end() ? nullptr : found->second;
}

std::optional<LayerContents> StreamedBlobs::TakeLayer(const std::string& name) {
  const auto found = layers_.find(Resolve(name));
  if (found == layers_.end()) return std::nullopt;
  return found->second;  // an image may have a layer twice
}

base::Result<void> StreamedBlobs::ReadMember(binfmt::TarReader& reader, const binfmt::TarEntry& entry,
                                             const LayerReading& reading) {
  const std::string name = MemberName(entry.path);
  if (name.empty() || texts_.size() + layers_.size() + links_.size() > kMostParts) return {};
  if (entry.type == binfmt::TarType::kSymlink) links_[name] = LinkedName(base::DirName(name), entry.link);
  if (entry.type == binfmt::TarType::kHardLink) links_[name] = MemberName(entry.link);
  if (entry.type != binfmt::TarType::kFile || entry.extents) return {};
  std::string start(static_cast<size_t>(std::min<uint64_t>(entry.size, 512)), '\0');
  const auto got = reader.Read(start);
  if (!got) return std::unexpected(got.error());
  if (IsTar(start) || packed::IsPacked(start)) {
    MemberStream stream(reader, start);
    layers_[name] = ReadLayerOnce(stream, reading);
    return {};
  }
  const bool json = start.starts_with('{') || start.starts_with('[');
  if (!json || entry.size > kMostJson || text_bytes_ + entry.size > kAllJson) return {};
  text_bytes_ += entry.size;
  std::string text(static_cast<size_t>(entry.size), '\0');
  std::ranges::copy(start, text.begin());
  if (const auto rest = reader.Read(std::span(text).subspan(start.size())); !rest)
    return std::unexpected(rest.error());
  texts_[name] = std::make_shared<TextBytes>(std::move(text));
  return {};
}

base::Result<std::unique_ptr<StreamedBlobs>> StreamedBlobs::Read(std::unique_ptr<base::ByteStream> stream,
                                                                 const LayerReading& reading) {
  auto blobs = std::make_unique<StreamedBlobs>();
  packed::PeekedStream peeked(
      packed::Unpacked(std::move(stream), {.what = "archive", .cut = packed::Unpacking::Cut::kError}));
  const std::string_view start = peeked.Peek(kLookedAt);
  if (start.empty()) return base::Fail(base::ErrorCode::kBadFormat, "no input");
  if (!IsTar(start)) return base::Fail(base::ErrorCode::kBadFormat, "not a tar archive");
  if (!StartsImage(start)) {
    blobs->root_ = ReadLayerOnce(peeked, reading);
    return blobs;
  }
  StreamInput input(peeked);
  binfmt::TarReader reader(input);
  while (true) {
    const auto entry = reader.Next();
    if (!entry) return std::unexpected(entry.error());
    if (!*entry) break;
    if (auto read = blobs->ReadMember(reader, **entry, reading); !read) return std::unexpected(read.error());
  }
  // So that the writer does not get a closed pipe.
  if (auto rest = input.Skip(~uint64_t{0}); !rest) return std::unexpected(rest.error());
  return blobs;
}

}  // namespace culprit::image
