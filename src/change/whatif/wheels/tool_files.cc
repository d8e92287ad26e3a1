// The programs and data files of data/tools.toml that a wheel has.
#include "base/text.h"
#include "change/whatif/wheels/wheel.h"
#include "knowledge/tools.h"

namespace culprit::whatif {
namespace {

constexpr std::string_view kSite = "{site}/";

// The place of the tool below site-packages for a CUDA major; "" if it is in no package. `release`: of the
// package that uses it; "" if another one brings it, for whatever release.
std::string PlaceOf(const knowledge::ToolRow& row, bool cuda13, std::string_view release) {
  std::string first;
  for (std::string_view place : row.places) {
    if (!place.starts_with(kSite)) continue;
    place = release.empty() ? place.substr(0, place.find(" if ")) : knowledge::PlaceFor(place, release);
    if (place.empty()) continue;
    if (first.empty()) first = place.substr(kSite.size());
    const bool of_nvidia = base::Contains(place, "/nvidia/cu");
    if (!of_nvidia || base::Contains(place, "/cu13/") == cuda13)
      return std::string(place.substr(kSite.size()));
  }
  return first;
}

}  // namespace

void PutTools(Wheel& wheel, bool with_extras) {
  if (wheel.environment.windows) return;
  const bool cuda13 = !wheel.name.ends_with("-cu12") && !base::Contains(wheel.name, "cuda12");
  for (const knowledge::ToolRow& row : knowledge::Tools()) {
    const bool own = row.user == wheel.name && (row.packages.empty() || with_extras);
    if (!own && std::ranges::find(row.packages, wheel.name) == row.packages.end()) continue;
    const std::string place = PlaceOf(row, cuda13, own ? std::string_view(wheel.version) : "");
    if (place.empty() || wheel.binaries.contains(place)) continue;
    if (row.kind == knowledge::ToolKind::kData) {
      wheel.texts[place] = "BC";
      continue;
    }
    Claims& claims = wheel.binaries[place];
    claims.program = row.kind == knowledge::ToolKind::kProgram;
    if (!claims.program) claims.soname = base::BaseName(place);
  }
}

}  // namespace culprit::whatif
