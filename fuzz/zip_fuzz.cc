// Any bytes as a zip archive: an error or members, each of which can be read at any offset or says why not.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "binfmt/zip/zip.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace base = culprit::base;
  namespace binfmt = culprit::binfmt;
  const base::MemorySource source(std::as_bytes(std::span(data, size)));
  const auto members = binfmt::ReadZip(source);
  if (!members) {
    Require(!members.error().message.empty());
    return 0;
  }
  constexpr size_t kRead = 8;              // of the members: each is read on its own
  constexpr uint64_t kFarthest = 1 << 16;  // inflating more only takes time
  for (const binfmt::ZipMember& member : std::span(*members).first(std::min(members->size(), kRead))) {
    const auto bytes = binfmt::OpenZipMember(source, member);
    if (!bytes) continue;
    std::array<std::byte, 512> out;
    // Forwards, backwards, and beyond the end.
    for (const uint64_t offset : {uint64_t{0}, kFarthest, uint64_t{100}, (*bytes)->size()}) {
      const auto got = (*bytes)->ReadAt(std::min(offset, kFarthest), out);
      Require(!got || *got <= out.size());
    }
  }
  return 0;
}
