// The contents of one section of an ELF file: .modinfo of a kernel module, an NVIDIA note. Such files need
// not have a dynamic section.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes/byte_source.h"

namespace culprit::binfmt {

// The bytes of the first section called `name`; nullopt if there is none, if it is larger than `limit`, or if
// the file is truncated or not ELF.
std::optional<std::string> ReadElfSection(const base::ByteSource& source, std::string_view name,
                                          uint64_t limit);

}  // namespace culprit::binfmt
