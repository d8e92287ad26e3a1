// A short text inside a large file, found without reading more of the file than a limit allows. For versions
// that a program tells nowhere else: "release 13.0, V13.0.88" in nvcc, "libcublasLt.so.13" in cuDNN.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_source.h"

namespace culprit::collect {

enum class SearchFrom {
  kStart,
  kEnd  // constants lie behind the code of a program, so mostly near its end
};

// What follows the first `marker` found, up to the first character that is not printable, 200 at most. At
// most `limit` bytes of the file are looked at, from its start or from its end.
std::optional<std::string> TextAfter(const base::ByteSource& source, std::string_view marker, SearchFrom from,
                                     uint64_t limit);

}  // namespace culprit::collect
