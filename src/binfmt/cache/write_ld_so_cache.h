// Writes an /etc/ld.so.cache in any layout and byte order. Entries are sorted in the order that ld.so
// searches (name descending); among equal names, the first one given stays first.
#pragma once

#include <string>
#include <vector>

#include "binfmt/cache/ld_so_cache.h"

namespace culprit::binfmt {

struct LdCacheSpec {
  LdCache::Layout layout = LdCache::Layout::kNew;
  bool big_endian = false;
  bool says_byte_order = true;        // false: as ldconfig before 2.33 wrote it
  std::string generator = "culprit";  // empty, and no entry with a hwcaps_dir: no extensions
  // If hwcaps_dir is not empty, `hwcap` is derived from it. The old layout has neither.
  std::vector<LdCacheEntry> entries;
};

std::string BuildLdCache(const LdCacheSpec& spec);

}  // namespace culprit::binfmt
