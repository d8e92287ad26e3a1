// Finds a short text in a large file without reading more than a limit. For versions that are nowhere else:
// "release 13.0, V13.0.88" in nvcc, "libcublasLt.so.13" in cuDNN.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes/byte_source.h"

namespace culprit::collect {

enum class SearchFrom {
  kStart,
  kEnd  // constants come after the code, so mostly near the end
};

// What follows the first `marker`, up to the first character that is not printable, at most 200 characters.
// At most `limit` bytes are searched, from the start of the file or from its end.
std::optional<std::string> TextAfter(const base::ByteSource& source, std::string_view marker, SearchFrom from,
                                     uint64_t limit);

// The highest version among the constants of a program that begin with `prefix` ("3.11."): a whole text
// between two NULs, since "/opt/3.11.7/lib" tells nothing. "" if there is none in the first `limit` bytes.
std::string VersionConstant(const base::ByteSource& source, std::string_view prefix, uint64_t limit);

}  // namespace culprit::collect
