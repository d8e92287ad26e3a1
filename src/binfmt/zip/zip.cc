// Positions are those of PKWARE's APPNOTE: the end record (0x06054b50) is in the last 64 KiB; it locates the
// central directory (records 0x02014b50), which locates the local headers (0x04034b50). Sizes of 4 GiB and
// more are in the Zip64 end record and in extra field 1.
#include "binfmt/zip/zip.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "binfmt/zip/inflate_source.h"

namespace culprit::binfmt {
namespace {

constexpr uint64_t kMaxTable = uint64_t{64} << 20;
constexpr uint64_t kMaxMembers = 500000;
constexpr uint32_t kEnd = 0x06054b50, kEnd64 = 0x06064b50, kEnd64Locator = 0x07064b50, kEntry = 0x02014b50,
                   kLocal = 0x04034b50;

base::Result<std::string> Read(const base::ByteSource& source, uint64_t offset, uint64_t size) {
  std::string bytes(size, '\0');
  const auto count = source.ReadAt(offset, std::as_writable_bytes(std::span(bytes)));
  if (!count) return std::unexpected(count.error());
  if (*count != size) return base::Fail(base::ErrorCode::kBadFormat, "the archive is truncated");
  return bytes;
}

uint64_t Number(std::string_view bytes, size_t offset, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

struct Directory {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t members = 0;
};

// The Zip64 end record; its locator is right before the end record.
base::Result<Directory> ReadTable64(const base::ByteSource& source, uint64_t end) {
  if (end < 20) return base::Fail(base::ErrorCode::kBadFormat, "no Zip64 locator");
  const auto locator = Read(source, end - 20, 20);
  if (!locator) return std::unexpected(locator.error());
  if (Number(*locator, 0, 4) != kEnd64Locator)
    return base::Fail(base::ErrorCode::kBadFormat, "no Zip64 locator");
  const auto record = Read(source, Number(*locator, 8, 8), 56);
  if (!record) return std::unexpected(record.error());
  if (Number(*record, 0, 4) != kEnd64) return base::Fail(base::ErrorCode::kBadFormat, "no Zip64 end record");
  return Directory{
      .offset = Number(*record, 48, 8), .size = Number(*record, 40, 8), .members = Number(*record, 32, 8)};
}

base::Result<Directory> FindTable(const base::ByteSource& source) {
  constexpr uint64_t kEndSize = 22, kComment = 65535;
  if (source.size() < kEndSize) return base::Fail(base::ErrorCode::kBadFormat, "too short for an archive");
  const uint64_t size = std::min<uint64_t>(source.size(), kEndSize + kComment);
  const uint64_t start = source.size() - size;
  const auto tail = Read(source, start, size);
  if (!tail) return std::unexpected(tail.error());
  for (size_t at = tail->size() - kEndSize + 1; at-- > 0;) {
    if (Number(*tail, at, 4) != kEnd || at + kEndSize + Number(*tail, at + 20, 2) != tail->size()) continue;
    Directory table{.offset = Number(*tail, at + 16, 4),
                    .size = Number(*tail, at + 12, 4),
                    .members = Number(*tail, at + 10, 2)};
    if (table.offset == 0xffffffff || table.size == 0xffffffff || table.members == 0xffff) {
      return ReadTable64(source, start + at);
    }
    return table;
  }
  return base::Fail(base::ErrorCode::kBadFormat, "no end record: not an archive, or truncated");
}

// The values that did not fit into 32 bits, in the order in which they are missing.
bool ReadExtra64(std::string_view extra, ZipMember& member) {
  for (size_t at = 0; at + 4 <= extra.size();) {
    const uint64_t id = Number(extra, at, 2), size = Number(extra, at + 2, 2);
    if (at + 4 + size > extra.size()) return false;
    if (id == 1) {
      size_t next = at + 4;
      for (uint64_t* value : {&member.size, &member.compressed_size, &member.header_offset}) {
        if (*value != 0xffffffff) continue;
        if (next + 8 > at + 4 + size) return false;
        *value = Number(extra, next, 8);
        next += 8;
      }
    }
    at += 4 + size;
  }
  return true;
}

}  // namespace

base::Result<std::vector<ZipMember>> ReadZip(const base::ByteSource& source) {
  const auto place = FindTable(source);
  if (!place) return std::unexpected(place.error());
  if (place->size > kMaxTable || place->members > kMaxMembers) {
    return base::Fail(base::ErrorCode::kTooLarge, "the table of contents is too large");
  }
  if (place->offset > source.size() || place->size > source.size() - place->offset) {
    return base::Fail(base::ErrorCode::kBadFormat, "the table of contents is outside the file");
  }
  const auto table = Read(source, place->offset, place->size);
  if (!table) return std::unexpected(table.error());
  std::vector<ZipMember> members;
  constexpr size_t kEntrySize = 46;
  size_t at = 0;
  for (uint64_t i = 0; i < place->members; ++i) {
    if (at + kEntrySize > table->size() || Number(*table, at, 4) != kEntry) {
      return base::Fail(base::ErrorCode::kBadFormat, "the table of contents is damaged");
    }
    const size_t name = Number(*table, at + 28, 2), extra = Number(*table, at + 30, 2),
                 comment = Number(*table, at + 32, 2);
    if (kEntrySize + name + extra + comment > table->size() - at) {
      return base::Fail(base::ErrorCode::kBadFormat, "the table of contents is damaged");
    }
    ZipMember member{.name = table->substr(at + kEntrySize, name),
                     .method = static_cast<uint16_t>(Number(*table, at + 10, 2)),
                     .compressed_size = Number(*table, at + 20, 4),
                     .size = Number(*table, at + 24, 4),
                     .header_offset = Number(*table, at + 42, 4)};
    if (!ReadExtra64(std::string_view(*table).substr(at + kEntrySize + name, extra), member)) {
      return base::Fail(base::ErrorCode::kBadFormat, member.name + ": its entry is damaged");
    }
    members.push_back(std::move(member));
    at += kEntrySize + name + extra + comment;
  }
  return members;
}

base::Result<std::unique_ptr<base::ByteSource>> OpenZipMember(const base::ByteSource& source,
                                                              const ZipMember& member) {
  constexpr uint64_t kLocalSize = 30;
  const auto header = Read(source, member.header_offset, kLocalSize);
  if (!header) return std::unexpected(header.error());
  if (Number(*header, 0, 4) != kLocal)
    return base::Fail(base::ErrorCode::kBadFormat, member.name + ": no local header");
  if ((Number(*header, 6, 2) & 1) != 0)
    return base::Fail(base::ErrorCode::kUnsupported, member.name + ": encrypted");
  const uint64_t begin = member.header_offset + kLocalSize + Number(*header, 26, 2) + Number(*header, 28, 2);
  if (begin > source.size() || member.compressed_size > source.size() - begin) {
    return base::Fail(base::ErrorCode::kBadFormat, member.name + ": outside the file");
  }
  if (member.method == 0) return std::make_unique<SliceSource>(source, begin, member.compressed_size);
  if (member.method == 8) {
    return std::make_unique<InflateSource>(source, begin, member.compressed_size, member.size);
  }
  return base::Fail(base::ErrorCode::kUnsupported,
                    member.name + ": compressed by method " + std::to_string(member.method));
}

}  // namespace culprit::binfmt
