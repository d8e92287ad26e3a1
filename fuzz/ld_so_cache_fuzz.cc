// Any bytes as an ld.so.cache: an error or entries, never a crash; names and order come from the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "binfmt/cache/ld_so_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace base = culprit::base;
  namespace binfmt = culprit::binfmt;
  const auto cache = binfmt::ReadLdCache(base::MemorySource(std::as_bytes(std::span(data, size))));
  if (!cache) return 0;
  if (cache->entries.size() > size) std::abort();
  for (size_t i = 0; i < cache->entries.size(); ++i) {
    const binfmt::LdCacheEntry& entry = cache->entries[i];
    binfmt::LdCacheFlagsName(entry.flags);
    const std::string_view other = cache->entries[i == 0 ? 0 : i - 1].name;
    const int there = binfmt::LdCacheCompare(entry.name, other);
    const int back = binfmt::LdCacheCompare(other, entry.name);
    if ((there > 0) != (back < 0) || (there == 0) != (back == 0)) std::abort();
  }
  return 0;
}
