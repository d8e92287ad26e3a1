// Reads of one library or program everything that collectors and models may read of it later. Whoever has the
// file only once (a compressed layer of an image that passes by) keeps the bytes that are asked for here. So
// what a check reads stays in one place, its readers; here they are only called.
#pragma once

#include <string>

#include "base/bytes/byte_source.h"

namespace culprit::collect {

// `path`: absolute. Its name decides what is asked for.
void ReadAhead(const std::string& path, const base::ByteSource& bytes);

}  // namespace culprit::collect
