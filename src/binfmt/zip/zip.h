// ZIP: the central directory, and one member as a source of bytes. A wheel is such an archive. Members are
// read in place: a stored one is a slice of the file, a deflated one is inflated only as far as it is read
// (inflate_source.h). Nothing is unpacked to disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes/byte_source.h"

namespace culprit::binfmt {

struct ZipMember {
  std::string name;     // as written; a directory ends in '/'
  uint16_t method = 0;  // 0 stored, 8 deflated
  uint64_t compressed_size = 0;
  uint64_t size = 0;
  uint64_t header_offset = 0;  // of its local header
  bool operator==(const ZipMember&) const = default;
};

// The members in the order of the directory. Supports Zip64; encrypted, split and corrupt archives are
// errors. Overlapping or absolute names are up to the caller: nothing is written anywhere.
base::Result<std::vector<ZipMember>> ReadZip(const base::ByteSource& source);

// The contents of a member. The source must outlive the result, which is not thread-safe.
base::Result<std::unique_ptr<base::ByteSource>> OpenZipMember(const base::ByteSource& source,
                                                              const ZipMember& member);

}  // namespace culprit::binfmt
