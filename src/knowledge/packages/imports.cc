#include "knowledge/packages/imports.h"

#include <algorithm>

namespace culprit::knowledge {

bool HasImportRows(std::string_view framework) {
  const auto rows = ImportRows();
  return std::ranges::find(rows, framework, &ImportRow::framework) != rows.end();
}

}  // namespace culprit::knowledge
