// /etc/ld.so.cache has grown by embedding: libc5's table ("old"), the same with a second table hidden behind
// it that older loaders mistake for strings ("embedded"), and that second table alone ("new"). A loader that
// finds the second never looks at the first. Three traps:
//  - string offsets count from the end of the old entries in the old table and from the header of the new
//  table
//    in the new one, but extension sections and hwcaps names count from the start of the file;
//  - the file is a memory image, so byte order and the padding before an embedded table are those of the
//    machine that wrote it; only newer files say which byte order that is;
//  - strings are shared, so a small hostile file could expand to gigabytes of text if somebody copied them:
//    the total is limited.
// ld.so itself checks little: an entry that points outside the file ends its search there. Here such a file
// is an error as a whole, because ldconfig never writes one.
#include "binfmt/cache/ld_so_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "binfmt/cache/ld_so_cache_layout.h"

namespace culprit::binfmt {
namespace ld_cache {

// The whole file, with checked reads.
class Image {
 public:
  static constexpr size_t kMaxText = 4096;  // PATH_MAX

  explicit Image(std::string_view bytes) : bytes_(bytes) {}

  uint64_t size() const { return bytes_.size(); }
  void set_big_endian(bool big) { swap_ = big != (std::endian::native == std::endian::big); }

  bool Has(uint64_t offset, std::string_view text) const {
    return offset <= size() && bytes_.substr(offset).starts_with(text);
  }
  bool Fits(uint64_t offset, uint64_t count, uint64_t record_size) const {
    return offset <= size() && count <= (size() - offset) / record_size;
  }
  // 0 if it is outside the file; callers check with Fits first.
  uint32_t U32(uint64_t offset) const { return Number<uint32_t>(offset); }
  uint64_t U64(uint64_t offset) const { return Number<uint64_t>(offset); }
  uint8_t U8(uint64_t offset) const { return Number<uint8_t>(offset); }

  // The NUL-terminated text; nullopt if it is outside the file, unterminated, or too long.
  std::optional<std::string_view> Text(uint64_t offset) const {
    if (offset >= size()) return std::nullopt;
    const std::string_view rest = bytes_.substr(offset, kMaxText + 1);
    const size_t length = rest.find('\0');
    return length == std::string_view::npos ? std::nullopt : std::optional(rest.substr(0, length));
  }
  std::string_view Bytes(uint64_t offset, uint64_t count) const { return bytes_.substr(offset, count); }

  // Where the texts begin that Text() surely finds: before this. 0 if some may be too long.
  uint64_t EndOfTexts() const {
    constexpr size_t kWindow = kMaxText / 2;  // if each has a NUL, no text is longer than two
    for (size_t at = 0; at < bytes_.size(); at += kWindow) {
      if (bytes_.substr(at, kWindow).find('\0') == std::string_view::npos) return 0;
    }
    return bytes_.rfind('\0') + 1;
  }

 private:
  template <typename T>
  T Number(uint64_t offset) const {
    T value{};
    if (!Fits(offset, 1, sizeof value)) return 0;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return swap_ ? std::byteswap(value) : value;
  }

  std::string_view bytes_;
  bool swap_ = false;
};

}  // namespace ld_cache

namespace {

using base::ErrorCode;
using base::Fail;
using ld_cache::Image;

std::unexpected<base::Error> Bad(const std::string& what) {
  return Fail(ErrorCode::kBadFormat, "ld.so.cache: " + what);
}

// Sets the byte order in which `count_at` is a number of records that fit after `begin`; false if neither
// does.
bool GuessByteOrder(Image& image, uint64_t count_at, uint64_t begin, uint64_t record_size) {
  for (const bool big : {false, true}) {
    image.set_big_endian(big);
    if (image.Fits(begin, image.U32(count_at), record_size)) return true;
  }
  return false;
}

// Uses the flags of the new header; for files from before they existed, guesses.
bool SetByteOrder(Image& image, uint64_t header) {
  switch (image.U8(header + ld_cache::kFlagsAt) & ld_cache::kByteOrderMask) {
    case ld_cache::kLittleEndian:
      image.set_big_endian(false);
      return true;
    case ld_cache::kBigEndian:
      image.set_big_endian(true);
      return true;
    case ld_cache::kByteOrderUnset:
      return GuessByteOrder(image, header + ld_cache::kCountAt, header + ld_cache::kHeaderSize,
                            ld_cache::kEntrySize);
    default:
      return false;
  }
}

struct Extensions {
  std::string generator;
  std::vector<std::string_view> hwcaps;
};

// Without a valid directory there are no extensions; ld.so ignores them then, too.
Extensions ReadExtensions(const Image& image, uint64_t header) {
  Extensions result;
  const uint64_t at = image.U32(header + ld_cache::kExtensionAt);
  if (at == 0 || at % 4 != 0 || !image.Fits(at, 1, ld_cache::kDirectorySize)) return result;
  if (image.U32(at) != ld_cache::kDirectoryMagic) return result;
  const uint64_t count = image.U32(at + 4);
  const uint64_t sections = at + ld_cache::kDirectorySize;
  if (!image.Fits(sections, count, ld_cache::kSectionSize)) return result;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t section = sections + i * ld_cache::kSectionSize;
    const uint32_t tag = image.U32(section);
    const uint64_t offset = image.U32(section + 8), size = image.U32(section + 12);
    if (!image.Fits(offset, size, 1)) return {};
    if (tag == ld_cache::kGenerator) {
      result.generator = image.Bytes(offset, std::min<uint64_t>(size, 1024));
    } else if (tag == ld_cache::kHwcaps && result.hwcaps.empty()) {
      const uint64_t names = std::min<uint64_t>(size / 4, ld_cache::kMaxHwcaps);
      for (uint64_t k = 0; k < names; ++k) {
        result.hwcaps.push_back(image.Text(image.U32(offset + 4 * k)).value_or(""));
      }
    }
  }
  return result;
}

// Bit 62 alone among the high bits (ignoring the x86 ISA level) marks a glibc-hwcaps entry.
bool IsNamedHwcap(uint64_t hwcap) {
  return (hwcap >> 32 & ~uint64_t{ld_cache::kIsaLevelMask}) == ld_cache::kNamedHwcap;
}

}  // namespace

struct LdCacheTable {
  uint64_t At(uint64_t place) const { return begin + place * entry_size; }
  uint64_t NameAt(uint64_t place) const { return strings + image.U32(At(place) + 4); }
  uint64_t PathAt(uint64_t place) const { return strings + image.U32(At(place) + 8); }
  LdCacheEntry Entry(uint64_t place) const;
  base::Result<void> Check() const;

  std::shared_ptr<const std::string> bytes;
  ld_cache::Image image;
  uint64_t begin = 0, entry_size = 0;
  uint32_t count = 0;
  uint64_t strings = 0;  // their offsets count from here
  std::vector<std::string_view> hwcaps{};
};

LdCacheEntry LdCacheTable::Entry(uint64_t place) const {
  LdCacheEntry entry{.flags = static_cast<int32_t>(image.U32(At(place))),
                     .name = image.Text(NameAt(place)).value_or(""),
                     .path = image.Text(PathAt(place)).value_or("")};
  if (entry_size != ld_cache::kEntrySize) return entry;
  entry.hwcap = image.U64(At(place) + 16);
  const uint64_t index = entry.hwcap & 0xffffffff;
  if (IsNamedHwcap(entry.hwcap) && index < hwcaps.size()) entry.hwcaps_dir = hwcaps[index];
  return entry;
}

// Whether every entry can be read. Of a file that ldconfig wrote, a look at the offsets shows that; of
// others, each text has to be found.
base::Result<void> LdCacheTable::Check() const {
  if (!image.Fits(begin, count, entry_size)) return Bad("the entry table is outside the file");
  if (count > ld_cache::kMaxEntries) {
    return Fail(ErrorCode::kTooLarge, "ld.so.cache: " + std::to_string(count) + " entries");
  }
  constexpr uint64_t kFew =
      kMaxLdCacheSize / (2 * ld_cache::Image::kMaxText);  // whose texts together are not too long
  const uint64_t end = count <= kFew ? image.EndOfTexts() : 0;
  uint64_t left = kMaxLdCacheSize;
  for (uint32_t i = 0; i < count; ++i) {
    if (std::max(NameAt(i), PathAt(i)) < end) continue;
    const auto name = image.Text(NameAt(i)), path = image.Text(PathAt(i));
    if (!name || !path || name->size() + path->size() > left)
      return Bad("the strings of entry " + std::to_string(i) + " cannot be read");
    left -= name->size() + path->size();
  }
  return {};
}

size_t LdCacheEntries::size() const { return table_ ? table_->count : given_.size(); }

LdCacheEntry LdCacheEntries::operator[](size_t place) const {
  return table_ ? table_->Entry(place) : given_[place];
}

namespace {

base::Result<LdCache> MakeCache(LdCacheTable table, LdCache::Layout layout, std::string generator) {
  if (const auto checked = table.Check(); !checked) return std::unexpected(checked.error());
  return LdCache{.layout = layout,
                 .generator = std::move(generator),
                 .entries = LdCacheEntries(std::make_shared<const LdCacheTable>(std::move(table)))};
}

base::Result<LdCache> ReadNew(const std::shared_ptr<const std::string>& bytes, uint64_t header,
                              LdCache::Layout layout) {
  Image image(*bytes);
  if (!image.Fits(header, 1, ld_cache::kHeaderSize)) return Bad("the header is truncated");
  if (!SetByteOrder(image, header)) return Bad("the byte order is unclear");
  Extensions extensions = ReadExtensions(image, header);
  return MakeCache({.bytes = bytes,
                    .image = image,
                    .begin = header + ld_cache::kHeaderSize,
                    .entry_size = ld_cache::kEntrySize,
                    .count = image.U32(header + ld_cache::kCountAt),
                    .strings = header,
                    .hwcaps = std::move(extensions.hwcaps)},
                   layout, std::move(extensions.generator));
}

base::Result<LdCache> ReadOld(const std::shared_ptr<const std::string>& bytes) {
  Image image(*bytes);
  if (!image.Fits(0, 1, ld_cache::kOldHeaderSize)) return Bad("the header is truncated");
  if (!GuessByteOrder(image, ld_cache::kOldCountAt, ld_cache::kOldHeaderSize, ld_cache::kOldEntrySize)) {
    return Bad("the entry table is outside the file");
  }
  const uint32_t count = image.U32(ld_cache::kOldCountAt);
  const uint64_t strings = ld_cache::kOldHeaderSize + uint64_t{count} * ld_cache::kOldEntrySize;
  // The embedded header is aligned like its 64-bit numbers: to 8, on i386 to 4.
  for (const uint64_t header : {(strings + 7) / 8 * 8, strings}) {
    if (image.Has(header, ld_cache::kMagic)) return ReadNew(bytes, header, LdCache::Layout::kEmbedded);
  }
  return MakeCache({.bytes = bytes,
                    .image = image,
                    .begin = ld_cache::kOldHeaderSize,
                    .entry_size = ld_cache::kOldEntrySize,
                    .count = count,
                    .strings = strings},
                   LdCache::Layout::kOld, "");
}

}  // namespace

base::Result<LdCache> ReadLdCache(const base::ByteSource& source) {
  if (source.size() > kMaxLdCacheSize) {
    return Fail(ErrorCode::kTooLarge, "ld.so.cache: " + std::to_string(source.size()) + " bytes");
  }
  const auto bytes = std::make_shared<std::string>();
  base::Result<size_t> read;
  bytes->resize_and_overwrite(static_cast<size_t>(source.size()), [&](char* room, size_t length) {
    read = source.ReadAt(0, std::as_writable_bytes(std::span(room, length)));
    return std::min(read.value_or(0), length);
  });
  if (!read) return std::unexpected(read.error());
  if (bytes->starts_with(ld_cache::kMagic)) return ReadNew(bytes, 0, LdCache::Layout::kNew);
  if (bytes->starts_with(ld_cache::kOldMagic)) return ReadOld(bytes);
  return Bad("not a cache file");
}

}  // namespace culprit::binfmt
