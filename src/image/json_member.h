// Members of JSON that somebody else wrote: of another type, or missing, they are empty.
#pragma once

#include <string>

#include "base/json.h"

namespace culprit::image {

inline const base::Json& Member(const base::Json& object, const char* key) {
  static const base::Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

inline std::string MemberText(const base::Json& object, const char* key) {
  const base::Json& member = Member(object, key);
  return member.is_string() ? member.get<std::string>() : "";
}

}  // namespace culprit::image
