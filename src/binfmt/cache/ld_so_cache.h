// /etc/ld.so.cache: bytes -> entries, all three layouts (old, old with new embedded, new) and the
// glibc-hwcaps extension. docs/ld-so-cache-format.md describes them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/error.h"

namespace culprit::binfmt {

// The strings belong to the cache (LdCache::texts): a machine has thousands, and most are never used.
struct LdCacheEntry {
  int32_t flags = 0;            // FLAG_* of ldconfig: 0x0303 libc6,x86-64; 0x0a03 libc6,AArch64
  std::string_view name;        // the key: a soname
  std::string_view path;        // the value
  uint64_t hwcap = 0;           // raw field
  std::string_view hwcaps_dir;  // glibc-hwcaps subdirectory name if the entry belongs to one, else empty
  bool operator==(const LdCacheEntry&) const = default;
};

struct LdCache {
  enum class Layout { kOld, kEmbedded, kNew };
  Layout layout = Layout::kNew;
  std::string generator;              // extension 0, e.g. "ldconfig (Debian GLIBC 2.36-9) stable release ..."
  std::vector<LdCacheEntry> entries;  // in file order
  std::shared_ptr<const void> texts;  // owns what the entries point to; null for literals
  bool operator==(const LdCache& other) const {
    return layout == other.layout && generator == other.generator && entries == other.entries;
  }
};

// Stable, for JSON.
constexpr std::array<std::string_view, 3> WordsOf(LdCache::Layout) { return {"old", "embedded", "new"}; }

// The entries that ld.so would use: the new table where there is one, otherwise the old.
base::Result<LdCache> ReadLdCache(const base::ByteSource& source);

// "libc6,x86-64", as `ldconfig -p` prints it for these flags.
std::string LdCacheFlagsName(int32_t flags);

// The order of ldconfig's table: runs of digits compare as numbers (libfoo.so.10 after libfoo.so.9).
int LdCacheCompare(std::string_view a, std::string_view b);

}  // namespace culprit::binfmt
