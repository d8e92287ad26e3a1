// /etc/ld.so.cache: bytes -> entries, all three layouts (old, old with new embedded, new) and the
// glibc-hwcaps extension. docs/ld-so-cache-format.md describes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes/byte_source.h"
#include "base/error.h"

namespace culprit::binfmt {

// The strings belong to the cache: a machine has thousands, and most are never used.
struct LdCacheEntry {
  int32_t flags = 0;            // FLAG_* of ldconfig: 0x0303 libc6,x86-64; 0x0a03 libc6,AArch64
  std::string_view name;        // the key: a soname
  std::string_view path;        // the value
  uint64_t hwcap = 0;           // raw field
  std::string_view hwcaps_dir;  // glibc-hwcaps subdirectory name if the entry belongs to one, else empty
  bool operator==(const LdCacheEntry&) const = default;
};

struct LdCacheTable;  // of a file

// Entries in file order. Those of a file are decoded when somebody asks for them: a program needs a few.
class LdCacheEntries {
 public:
  class Iterator {
   public:
    using value_type = LdCacheEntry;         // NOLINT(readability-identifier-naming): of the library
    using difference_type = std::ptrdiff_t;  // NOLINT(readability-identifier-naming)
    Iterator() = default;
    Iterator(const LdCacheEntries& entries, size_t place) : entries_(&entries), place_(place) {}
    LdCacheEntry operator*() const { return (*entries_)[place_]; }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    Iterator operator++(int) { return {*entries_, place_++}; }
    bool operator==(const Iterator&) const = default;

   private:
    const LdCacheEntries* entries_ = nullptr;
    size_t place_ = 0;
  };

  LdCacheEntries() = default;
  LdCacheEntries(std::initializer_list<LdCacheEntry> entries) : given_(entries) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a list of entries is one
  LdCacheEntries(std::vector<LdCacheEntry> entries) : given_(std::move(entries)) {}
  explicit LdCacheEntries(std::shared_ptr<const LdCacheTable> table) : table_(std::move(table)) {}

  size_t size() const;
  bool empty() const { return size() == 0; }
  LdCacheEntry operator[](size_t place) const;
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  bool operator==(const LdCacheEntries& other) const { return std::ranges::equal(*this, other); }

 private:
  std::shared_ptr<const LdCacheTable> table_;
  std::vector<LdCacheEntry> given_;  // if there is no table
};

struct LdCache {
  enum class Layout { kOld, kEmbedded, kNew };
  Layout layout = Layout::kNew;
  std::string generator;  // extension 0, e.g. "ldconfig (Debian GLIBC 2.36-9) stable release ..."
  LdCacheEntries entries;
  std::shared_ptr<const void> texts;  // owns what given entries point to; null for literals and for a file
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
