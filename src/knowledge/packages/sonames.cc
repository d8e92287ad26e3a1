#include "knowledge/packages/sonames.h"

#include <algorithm>

namespace culprit::knowledge {

const SonameRow* FindSoname(std::string_view name) {
  const auto rows = SonameRows();
  const auto at = std::ranges::find(rows, name, &SonameRow::name);
  return at == rows.end() ? nullptr : &*at;
}

}  // namespace culprit::knowledge
