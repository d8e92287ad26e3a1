#include "render/inspect/pe.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/json.h"

namespace culprit::render {
namespace {

using base::Json;

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

}  // namespace

void PutPe(const report::PeAnswer& pe, Json& json) {
  json["delay_needed"] = pe.delay_needed;
  json["bound"] = pe.bound;
  json["unused"] = pe.unused;
  json["exports"] = pe.exports;
  json["file_version"] = pe.file_version.empty() ? Json(nullptr) : Json(pe.file_version);
  json["product_version"] = pe.product_version.empty() ? Json(nullptr) : Json(pe.product_version);
  json["version_strings"] = Json::object();
  for (const auto& [key, text] : pe.version_strings) json["version_strings"][key] = text;
  json["manifest_needs"] = pe.manifest_needs;
  json["managed"] = pe.managed;
  json["certificate_size"] = pe.certificate_size;
  json["overlay_size"] = pe.overlay_size;
}

std::vector<std::pair<std::string, std::string>> PeLines(const report::PeAnswer& pe) {
  // Those that identify the build; the others are in the JSON.
  constexpr std::array<std::string_view, 4> kShown = {"ProductName", "FileDescription", "FileVersion",
                                                      "OriginalFilename"};
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("  never loaded", Joined(pe.unused));
  lines.emplace_back("needed on call", Joined(pe.delay_needed));
  lines.emplace_back("bound to", Joined(pe.bound));
  lines.emplace_back("assemblies", Joined(pe.manifest_needs));
  lines.emplace_back("exports", pe.exports == 0 ? "" : std::to_string(pe.exports));
  lines.emplace_back("file version", pe.file_version);
  for (const auto& [key, text] : pe.version_strings) {
    if (std::ranges::find(kShown, key) != kShown.end() && text != pe.file_version)
      lines.emplace_back(key, text);
  }
  const auto bytes = [](uint64_t size) { return size == 0 ? "" : std::to_string(size) + " bytes"; };
  lines.emplace_back("certificate", bytes(pe.certificate_size));
  lines.emplace_back("overlay", bytes(pe.overlay_size));
  return lines;
}

}  // namespace culprit::render
