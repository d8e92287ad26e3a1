#include "cli/inside.h"

#include <zlib.h>

#include <cstdint>
#include <vector>

#ifdef CULPRIT_PROBE_INSIDE
extern "C" {
extern const unsigned char culprit_probe_program_begin[];
extern const unsigned char culprit_probe_program_end[];
}
#endif
#ifdef CULPRIT_WITNESSES_INSIDE
extern "C" {
extern const unsigned char culprit_audit_library_begin[];
extern const unsigned char culprit_audit_library_end[];
extern const unsigned char culprit_injection_library_begin[];
extern const unsigned char culprit_injection_library_end[];
}
#endif

namespace culprit::cli {
namespace {

using Bytes = std::vector<unsigned char>;

// The contents of a gzip file that our build made: its last four bytes are their size. Empty if it is
// damaged.
[[maybe_unused]] Bytes Unpacked(Inside packed) {
  constexpr int kGzip = 16;
  uint32_t size = 0;
  for (const unsigned char byte : {packed.end()[-1], packed.end()[-2], packed.end()[-3], packed.end()[-4]})
    size = size << 8 | byte;
  Bytes bytes(size);
  z_stream stream = {};
  stream.next_in = const_cast<Bytef*>(packed.data());  // zlib only reads it
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = bytes.data();
  stream.avail_out = size;
  if (inflateInit2(&stream, kGzip + MAX_WBITS) != Z_OK) return {};
  const int end = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return end == Z_STREAM_END && stream.avail_out == 0 ? bytes : Bytes();
}

}  // namespace

Inside ProbeInside() {
#ifdef CULPRIT_PROBE_INSIDE
  static const Bytes bytes = Unpacked({culprit_probe_program_begin, culprit_probe_program_end});
  return bytes;
#else
  return {};
#endif
}

Inside AuditInside() {
#ifdef CULPRIT_WITNESSES_INSIDE
  static const Bytes bytes = Unpacked({culprit_audit_library_begin, culprit_audit_library_end});
  return bytes;
#else
  return {};
#endif
}

Inside InjectionInside() {
#ifdef CULPRIT_WITNESSES_INSIDE
  static const Bytes bytes = Unpacked({culprit_injection_library_begin, culprit_injection_library_end});
  return bytes;
#else
  return {};
#endif
}

}  // namespace culprit::cli
