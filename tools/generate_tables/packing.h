// Packed tables: rows as the lines that a file of `culprit knowledge export` has (knowledge/book/table.h),
// compressed.
#pragma once

#include <string>
#include <string_view>

namespace generate {

// Between the items of a list in a cell.
inline const std::string kListSeparator = "\x1f";

// A text as a cell.
std::string Cell(std::string_view text);

// Code of an array of bytes: `lines`, compressed.
std::string PackedArray(const std::string& name, const std::string& lines);

}  // namespace generate
