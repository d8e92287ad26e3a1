#include "render/inspect/gpu_code.h"

#include <fmt/format.h>

#include "base/json.h"

namespace culprit::render {
namespace {

using base::Json;
using report::GpuCodeCounts;

Json CountsJson(const report::TargetCounts& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

// "sass" and "ptx" are always present, so that readers need no check.
void Put(Json& json, const GpuCodeCounts& counts) {
  json["sass"] = CountsJson(counts.sass);
  json["ptx"] = CountsJson(counts.ptx);
  if (!counts.lto_ir.empty()) json["lto_ir"] = CountsJson(counts.lto_ir);
  if (!counts.other.empty()) json["other"] = CountsJson(counts.other);
  json["containers"] = counts.containers;
}

// "sm_80 x 22, sm_90a; PTX compute_90 x 10; LTO-IR lto_75 x 3"
std::string Listing(const GpuCodeCounts& counts) {
  std::string text;
  const auto add = [&](const char* kind, const report::TargetCounts& list) {
    if (list.empty()) return;
    text += (text.empty() ? "" : "; ") + std::string(kind);
    const char* separator = "";
    for (const auto& [name, count] : list) {
      text += separator + name + (count == 1 ? "" : fmt::format(" x {}", count));
      separator = ", ";
    }
  };
  add("", counts.sass);
  add("PTX ", counts.ptx);
  add("LTO-IR ", counts.lto_ir);
  add("unknown kind: ", counts.other);
  return text;
}

}  // namespace

Json GpuCodeJson(const std::optional<report::GpuCodeAnswer>& code) {
  if (!code) return nullptr;
  Json json = Json::object();
  Put(json, code->listed);
  json["ptx_isa"] = code->ptx_isa;
  if (code->elsewhere.containers > 0) Put(json["elsewhere"], code->elsewhere);
  json["sections"] = Json::object();
  for (const auto& [name, counts] : code->sections) Put(json["sections"][name], counts);
  json["complete"] = code->complete;
  if (!code->problem.empty()) json["problem"] = code->problem;
  return json;
}

std::vector<std::pair<std::string, std::string>> GpuCodeLines(const report::GpuCodeAnswer& code) {
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("GPU code", Listing(code.listed));
  std::string versions;
  for (const std::string& version : code.ptx_isa) versions += (versions.empty() ? "" : ", ") + version;
  lines.emplace_back("PTX version", versions);
  for (const auto& [name, counts] : code.sections) {
    // With only one section, the first line has already said it.
    if (code.sections.size() > 1) {
      lines.emplace_back("  in " + name, fmt::format("{} container{}: {}", counts.containers,
                                                     counts.containers == 1 ? "" : "s", Listing(counts)));
    }
  }
  return lines;
}

}  // namespace culprit::render
