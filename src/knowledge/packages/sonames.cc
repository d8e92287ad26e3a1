#include "knowledge/packages/sonames.h"

#include <algorithm>

namespace culprit::knowledge {

const SonameRow* FindSoname(std::string_view name) {
  const auto rows = SonameRows();
  const auto at = std::ranges::find(rows, name, &SonameRow::name);
  return at == rows.end() ? nullptr : &*at;
}

std::string CudaMajorOf(const SonameRow& row) {
  std::string major;
  for (const std::string_view cuda : row.cuda) {
    const std::string_view own = cuda.substr(0, cuda.find('.'));
    if (!major.empty() && major != own) return "";
    major = own;
  }
  return major;
}

}  // namespace culprit::knowledge
