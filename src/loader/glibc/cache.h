// One lookup in ld.so.cache: it returns at most one path, and ld.so never tries a second entry
// (elf/dl-cache.c: search_cache; the table is sorted by LdCacheCompare, descending).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "binfmt/cache/ld_so_cache.h"

namespace culprit::loader {

struct CacheUser {
  uint16_t machine = 0;
  int bits = 64;
  int minor_version = 36;                   // glibc 2.x
  std::span<const std::string> isa_levels;  // glibc-hwcaps in use, best first
};

// Nothing if there is no such name for this machine.
std::optional<binfmt::LdCacheEntry> LookUpCache(const binfmt::LdCache& cache, std::string_view name,
                                                const CacheUser& user);

}  // namespace culprit::loader
