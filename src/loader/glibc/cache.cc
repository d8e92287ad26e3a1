#include "loader/glibc/cache.h"

#include <algorithm>
#include <ranges>

#include "binfmt/elf/constants.h"

namespace culprit::loader {
namespace {

constexpr uint64_t kTlsBit = uint64_t{1} << 63;

// The exact flags that an entry must have (FLAG_* of ldconfig). 0 = unknown machine.
int32_t FlagsOf(const CacheUser& user) {
  switch (user.machine) {
    case EM_X86_64:
      return user.bits == 64 ? 0x0303 : 0x0803;
    case EM_AARCH64:
      return 0x0a03;
    case EM_PPC64:
      return 0x0503;
    case EM_S390:
      return user.bits == 64 ? 0x0403 : 0x0003;
    case EM_RISCV:
      return 0x1003;
    case EM_ARM:
      return 0x0903;
    case EM_386:
      return 0x0003;
    default:
      return 0;
  }
}

}  // namespace

std::optional<binfmt::LdCacheEntry> LookUpCache(const binfmt::LdCache& cache, std::string_view name,
                                                const CacheUser& user) {
  const auto places = std::views::iota(size_t{0}, cache.entries.size());
  const auto first = std::ranges::partition_point(
      places, [&](size_t place) { return binfmt::LdCacheCompare(name, cache.entries[place].name) < 0; });
  const int32_t flags = FlagsOf(user);
  std::optional<binfmt::LdCacheEntry> best;
  size_t best_rank = 0;
  for (auto place = first; place != places.end(); ++place) {
    const binfmt::LdCacheEntry entry = cache.entries[*place];
    if (binfmt::LdCacheCompare(name, entry.name) != 0) break;
    if (entry.flags != flags) continue;
    if (!entry.hwcaps_dir.empty()) {
      const auto level = std::ranges::find(user.isa_levels, entry.hwcaps_dir);
      if (level == user.isa_levels.end()) continue;
      const auto rank = static_cast<size_t>(level - user.isa_levels.begin());
      if (!best || rank < best_rank) {
        best = entry;
        best_rank = rank;
      }
      continue;
    }
    if (best) break;  // entries for glibc-hwcaps come before all others
    if (entry.hwcap != 0 && (user.minor_version >= 37 || entry.hwcap != kTlsBit)) continue;  // legacy hwcaps
    return entry;
  }
  return best;
}

}  // namespace culprit::loader
