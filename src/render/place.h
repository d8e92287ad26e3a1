// Where a library was searched for, and other copies of it: for `why` and the report of a run.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "render/style.h"
#include "report/why.h"

namespace culprit::render {

inline base::Json TextOrNull(const std::string& text) {
  return text.empty() ? base::Json(nullptr) : base::Json(text);
}

std::string PlacesText(const std::vector<report::Place>& places, const Style& style);
base::Json PlaceJson(const report::Place& place);

// "9.19.0.56 (for CUDA 13)"; "" if unknown.
std::string VersionText(const report::LibraryVersion& version);
void AddVersion(base::Json& json, const report::LibraryVersion& version);

std::string CopiesText(const std::vector<report::Copy>& copies, const Style& style);
base::Json CopyJson(const report::Copy& copy);

}  // namespace culprit::render
