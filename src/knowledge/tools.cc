#include "knowledge/tools.h"

#include "base/python/pep440.h"

namespace culprit::knowledge {

std::string_view PlaceFor(std::string_view place, std::string_view release) {
  constexpr std::string_view kIf = " if ";
  const size_t at = place.find(kIf);
  if (at == std::string_view::npos) return place;
  return base::Meets(release, place.substr(at + kIf.size())) == true ? place.substr(0, at) : "";
}

}  // namespace culprit::knowledge
