// Bytes of an /etc/ld.so.cache, in any layout and byte order. Entries are put into the order that
// ld.so searches in (name descending); of equal names the one given first stays first.
#pragma once

#include <string>
#include <vector>

#include "binfmt/cache/ld_so_cache.h"

namespace culprit::binfmt {

struct LdCacheSpec {
  LdCache::Layout layout = LdCache::Layout::kNew;
  bool big_endian = false;
  bool says_byte_order = true;        // false: as ldconfig wrote it before 2.33
  std::string generator = "culprit";  // empty, and no entry with a hwcaps_dir: no extensions
  // `hwcap` is made from hwcaps_dir where that is not empty. In the old layout both are lost.
  std::vector<LdCacheEntry> entries;
};

std::string BuildLdCache(const LdCacheSpec& spec);

}  // namespace culprit::binfmt
