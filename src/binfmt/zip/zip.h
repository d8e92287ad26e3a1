// ZIP: the table of contents, and one member as a source of bytes. A wheel is such an archive. Members are
// read in place: a stored one is a slice of the file, a deflated one is inflated as far as it is asked for
// (inflate_source.h). Nothing is unpacked to disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_source.h"

namespace culprit::binfmt {

struct ZipMember {
  std::string name;     // as written; a directory ends in '/'
  uint16_t method = 0;  // 0 stored, 8 deflated
  uint64_t compressed_size = 0;
  uint64_t size = 0;
  uint64_t header_offset = 0;  // of its local header
  bool operator==(const ZipMember&) const = default;
};

// The members in the order of the table. Zip64 is understood; encrypted, split and damaged archives are
// errors. Overlapping or absolute names are the caller's business: nothing is written anywhere.
base::Result<std::vector<ZipMember>> ReadZip(const base::ByteSource& source);

// The contents of a member. The source must outlive the result, which is not safe for use by several threads.
base::Result<std::unique_ptr<base::ByteSource>> OpenZipMember(const base::ByteSource& source,
                                                              const ZipMember& member);

}  // namespace culprit::binfmt
