// All tables as one file, so that they can be newer than the program:
//
//   culprit-knowledge 1
//   date 2026-11-18
//   culprit 0.9.0                   that wrote it
//   sha256 HEX                      of everything but this line
//   table drivers.toolkit 96        name and number of rows
//   cuda <tab> label <tab> ...      columns, then the rows (table.h)
//
// A file has every table and every column that the program knows; others are ignored, so an older program
// reads the file of a newer one. If anything is wrong, nothing of the file is used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/edition.h"
#include "base/error.h"

namespace culprit::knowledge {

struct TableSize {
  std::string_view name;
  size_t rows;
};
std::vector<TableSize> TableSizes();

// The tables in use, as such a file.
std::string WriteBook();

// Checks the whole file. The error says what is wrong with it.
base::Result<base::Edition> CheckBook(std::string bytes);
// The same, and uses it from now on. To be called before any table is asked for.
base::Result<base::Edition> UseBook(std::string bytes);

// The date and the version of a file that was not checked; both empty if it is no such file.
base::Edition TitleOf(std::string_view bytes);

}  // namespace culprit::knowledge
