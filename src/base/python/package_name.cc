#include "base/python/package_name.h"

#include <cctype>

namespace culprit::base {

std::string NormalName(std::string_view name) {
  std::string normal;
  for (const char c : name) {
    const bool separator = c == '-' || c == '_' || c == '.';
    if (separator && !normal.empty() && normal.back() == '-') continue;
    normal += separator ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return normal;
}

}  // namespace culprit::base
