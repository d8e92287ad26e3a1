// Offsets, sizes and numbers of /etc/ld.so.cache, as in docs/ld-so-cache-format.md. The reader and the writer
// share them; ldconfig -p reads the same files in the tests, which shows that they are right.
#pragma once

#include <cstdint>
#include <string_view>

namespace culprit::binfmt {

inline constexpr uint64_t kMaxLdCacheSize = 64u << 20;  // limit for the file, and for all strings in it

namespace ld_cache {

inline constexpr std::string_view kOldMagic = "ld.so-1.7.0";
inline constexpr uint64_t kOldCountAt = 12, kOldHeaderSize = 16;
inline constexpr uint64_t kOldEntrySize = 12;  // flags, key, value

inline constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
inline constexpr uint64_t kCountAt = 20, kStringsLengthAt = 24, kFlagsAt = 28, kExtensionAt = 32;
inline constexpr uint64_t kHeaderSize = 48;
inline constexpr uint64_t kEntrySize = 24;  // flags, key, value, os version, hwcap (64 bits)

inline constexpr uint8_t kByteOrderMask = 3;
inline constexpr uint8_t kByteOrderUnset = 0, kByteOrderInvalid = 1, kLittleEndian = 2, kBigEndian = 3;

inline constexpr uint32_t kDirectoryMagic = 0xeaa42174;
inline constexpr uint64_t kDirectorySize = 8;           // magic, number of sections
inline constexpr uint64_t kSectionSize = 16;            // tag, flags, offset, size
inline constexpr uint32_t kGenerator = 0, kHwcaps = 1;  // tags

// The high half of the hwcap field.
inline constexpr uint32_t kNamedHwcap = 1u << 30;
inline constexpr uint32_t kIsaLevelMask = (1u << 10) - 1;

inline constexpr uint32_t kMaxEntries = 256 * 1024;  // ordinary machines have a few thousand
inline constexpr uint64_t kMaxHwcaps = 1024;

}  // namespace ld_cache
}  // namespace culprit::binfmt
