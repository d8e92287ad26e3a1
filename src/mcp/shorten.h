// Answers that fit into what a model can read at once.
#pragma once

#include <cstddef>
#include <string>

#include "base/json_fwd.h"

namespace culprit::mcp {

// About 8,000 words of a model: more than an answer should have.
inline constexpr size_t kMostText = 32'000;

// Whole lines, as many as fit; the last one says how many were left out.
std::string Shortened(std::string text);

// Cuts the longest lists at their end until the answer fits. Its field `left_out` then says how many elements
// of which list are missing: {"/files": 30}. False if even that is too long.
bool ShortenLists(base::Json& answer);

// As it is sent: bytes that are not UTF-8 are replaced.
std::string Dump(const base::Json& value);

}  // namespace culprit::mcp
