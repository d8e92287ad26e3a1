// Writes the format of docs/ld-so-cache-format.md; in the tests, ldconfig -p reads it back. The two tables of
// the embedded layout share the same string bytes, with offsets from different places.
#include "binfmt/cache/write_ld_so_cache.h"

#include <algorithm>
#include <map>
#include <set>

#include "binfmt/byte_writer.h"
#include "binfmt/cache/ld_so_cache_layout.h"

namespace culprit::binfmt {
namespace {

using Layout = LdCache::Layout;

// The old table; its strings start at the end of the returned bytes, plus `strings_at`.
std::string OldTable(const LdCacheSpec& spec, const std::vector<LdCacheEntry>& entries, uint64_t strings_at,
                     StringTable& strings) {
  ByteWriter out(spec.big_endian);
  out.Text(ld_cache::kOldMagic);
  out.AlignTo(4);
  out.U32(entries.size());
  for (const LdCacheEntry& entry : entries) {
    out.U32(static_cast<uint32_t>(entry.flags));
    out.U32(strings_at + strings.Add(entry.name));
    out.U32(strings_at + strings.Add(entry.path));
  }
  return out.bytes();
}

std::string NewTable(const LdCacheSpec& spec, const std::vector<LdCacheEntry>& entries,
                     const std::vector<std::string>& hwcaps, uint64_t extension_at, StringTable& strings) {
  const uint64_t strings_at = ld_cache::kHeaderSize + entries.size() * ld_cache::kEntrySize;
  ByteWriter out(spec.big_endian);
  out.Text(ld_cache::kMagic);
  out.U32(entries.size());
  out.U32(strings.bytes().size());
  out.U8(!spec.says_byte_order ? ld_cache::kByteOrderUnset
         : spec.big_endian     ? ld_cache::kBigEndian
                               : ld_cache::kLittleEndian);
  out.AlignTo(4);
  out.U32(extension_at);
  for (int i = 0; i < 3; ++i) out.U32(0);
  for (const LdCacheEntry& entry : entries) {
    out.U32(static_cast<uint32_t>(entry.flags));
    out.U32(strings_at + strings.Add(entry.name));
    out.U32(strings_at + strings.Add(entry.path));
    out.U32(0);
    const auto name = std::ranges::find(hwcaps, entry.hwcaps_dir);
    out.U64(name == hwcaps.end() ? entry.hwcap
                                 : uint64_t{ld_cache::kNamedHwcap} << 32 | uint64_t(name - hwcaps.begin()));
  }
  return out.bytes();
}

// `strings_at` and the directory's own position `at` are offsets in the file.
std::string ExtensionTable(const LdCacheSpec& spec, const std::vector<std::string>& hwcaps,
                           uint64_t strings_at, uint64_t at, StringTable& strings) {
  const uint64_t count = hwcaps.empty() ? 1 : 2;
  const uint64_t names_at = at + ld_cache::kDirectorySize + count * ld_cache::kSectionSize;
  ByteWriter out(spec.big_endian);
  out.U32(ld_cache::kDirectoryMagic);
  out.U32(count);
  const auto section = [&](uint32_t tag, uint64_t offset, uint64_t size) {
    for (const uint64_t number : {uint64_t{tag}, uint64_t{0}, offset, size}) out.U32(number);
  };
  section(ld_cache::kGenerator, names_at + 4 * hwcaps.size(), spec.generator.size());
  if (!hwcaps.empty()) section(ld_cache::kHwcaps, names_at, 4 * hwcaps.size());
  for (const std::string& name : hwcaps) out.U32(strings_at + strings.Add(name));
  out.Text(spec.generator);
  return out.bytes();
}

}  // namespace

std::string BuildLdCache(const LdCacheSpec& spec) {
  const auto descending = [](const std::string& a, const std::string& b) { return LdCacheCompare(a, b) > 0; };
  std::multimap<std::string, LdCacheEntry, decltype(descending)> sorted(
      descending);  // keeps the order of equal names
  for (const LdCacheEntry& entry : spec.entries) sorted.emplace(entry.name, entry);
  std::vector<LdCacheEntry> entries;
  for (const auto& [name, entry] : sorted) entries.push_back(entry);
  std::set<std::string> names;
  StringTable strings;
  for (const LdCacheEntry& entry : entries) {
    strings.Add(entry.path);
    strings.Add(entry.name);
    if (!entry.hwcaps_dir.empty()) names.emplace(entry.hwcaps_dir);
  }
  const std::vector<std::string> hwcaps(names.begin(), names.end());
  for (const std::string& name : hwcaps) strings.Add(name);

  std::string file;
  if (spec.layout == Layout::kOld) {
    file = OldTable(spec, entries, 0, strings);
    return file + strings.bytes();
  }
  const uint64_t new_size = ld_cache::kHeaderSize + entries.size() * ld_cache::kEntrySize;
  if (spec.layout == Layout::kEmbedded) {
    const uint64_t old_size = ld_cache::kOldHeaderSize + entries.size() * ld_cache::kOldEntrySize;
    const uint64_t padding = (old_size + 7) / 8 * 8 - old_size;
    file = OldTable(spec, entries, padding + new_size, strings) + std::string(padding, '\0');
  }
  const uint64_t strings_at = file.size() + new_size;
  const uint64_t extension_at = (strings_at + strings.bytes().size() + 3) / 4 * 4;
  const bool extended = !spec.generator.empty() || !hwcaps.empty();
  file += NewTable(spec, entries, hwcaps, extended ? extension_at : 0, strings) + strings.bytes();
  if (extended) {
    file.resize(extension_at, '\0');
    file += ExtensionTable(spec, hwcaps, strings_at, extension_at, strings);
  }
  return file;
}

}  // namespace culprit::binfmt
