#include "knowledge/packages/packages.h"

#include "knowledge/packages/release.h"

namespace culprit::knowledge {
namespace {

bool Within(const base::Version& version, std::string_view since, std::string_view until) {
  if (!since.empty() && version < Known(since)) return false;
  return until.empty() || version <= Known(until) || BeginsWith(version, Known(until));
}

std::string Blank(std::string_view name, const Blanks& blanks) {
  if (name == "version") return blanks.version.ToString();
  if (name == "major") return std::to_string(blanks.version.part(0));
  if (name == "minor") return std::to_string(blanks.version.part(1));
  if (name == "cuda") return blanks.cuda.ToString();
  if (name == "cuda_major") return std::to_string(blanks.cuda.part(0));
  if (name == "variant") return std::string(blanks.variant);
  return "{" + std::string(name) + "}";
}

}  // namespace

std::string FillIn(std::string_view form, const Blanks& blanks) {
  std::string text;
  while (!form.empty()) {
    const size_t open = form.find('{');
    const size_t close = form.find('}', open == std::string_view::npos ? form.size() : open);
    text += form.substr(0, open);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    text += Blank(form.substr(open + 1, close - open - 1), blanks);
    form.remove_prefix(close + 1);
  }
  return text;
}

const PackageName* FindPackageName(std::string_view manager, std::string_view what,
                                   const base::Version& version, std::string_view channel) {
  for (const PackageName& row : PackageNames()) {
    if (row.manager == manager && row.what == what && (channel.empty() || row.channel == channel) &&
        Within(version, row.since, row.until)) {
      return &row;
    }
  }
  return nullptr;
}

const WheelIndex* FindWheelIndex(std::string_view package, const base::Version& version) {
  for (const WheelIndex& row : WheelIndexes()) {
    if (row.package == package && Within(version, row.since, row.until)) return &row;
  }
  return nullptr;
}

}  // namespace culprit::knowledge
