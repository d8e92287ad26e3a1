// The result of `why` in the JSON format of docs/json-output.md.
#include "base/json.h"

#include "render/document.h"
#include "render/place.h"
#include "render/why/why.h"

namespace culprit::render {
namespace {

using base::Json;

}  // namespace

void AddVersion(Json& json, const report::LibraryVersion& version) {
  json["version"] = TextOrNull(version.version);
  if (!version.cuda.empty()) json["cuda"] = version.cuda;
  if (!version.source.empty()) json["version_source"] = version.source;
}

Json PlaceJson(const report::Place& place) {
  Json json = {{"path", place.path},
               {"via", base::NameOrNone(place.via)},
               {"outcome", base::NameOrNone(place.outcome)}};
  if (!place.detail.empty()) json["detail"] = place.detail;
  if (!place.origin.empty()) json["run_path_of"] = place.origin;
  return json;
}

Json CopyJson(const report::Copy& copy) {
  Json json = {{"path", copy.path}};
  AddVersion(json, copy.version);
  if (!copy.note.empty()) json["note"] = copy.note;
  return json;
}

namespace {

Json ToJson(const report::MissingLibrary& missing) {
  Json json = {{"name", missing.name},
               {"requested_by", missing.requested_by},
               {"opened_by", base::Word(missing.opened_by)},
               {"error", missing.error}};
  if (missing.code != 0) json["error_code"] = missing.code;
  if (missing.uncertain) json["uncertain"] = true;
  if (!missing.searched.empty()) {
    json["searched"] = Json::array();
    for (const report::Place& place : missing.searched) json["searched"].push_back(PlaceJson(place));
  }
  return json;
}

Json ToJson(const std::vector<report::MissingFunction>& functions) {
  Json json = Json::array();
  for (const auto& [function, dll, importer] : functions) {
    json.push_back({{"function", function}, {"dll", dll}, {"requested_by", importer}});
  }
  return json;
}

}  // namespace

std::string ToJson(const report::LibraryAnswer& answer) {
  Json json = {
      {"schema", "culprit.why/1"}, {"library", answer.library}, {"target", TextOrNull(answer.target)}};
  json["resolved"] = nullptr;
  if (answer.resolved) {
    Json& resolved = json["resolved"];
    resolved = {{"path", answer.resolved->path}};
    AddVersion(resolved, answer.resolved->version);
    resolved["via"] = Name(answer.resolved->via);
    resolved["real_path"] = answer.resolved->real_path;
  }
  json["requested_by"] = TextOrNull(answer.requested_by);
  json["opened_by"] = TextOrNull(std::string(base::Word(answer.opened_by)));
  json["searched"] = Json::array();
  for (const report::Place& place : answer.searched) json["searched"].push_back(PlaceJson(place));
  json["other_copies"] = Json::array();
  for (const report::Copy& copy : answer.other_copies) json["other_copies"].push_back(CopyJson(copy));
  json["also_requested_by"] = answer.also_requested_by;
  json["error"] = TextOrNull(answer.error);
  if (answer.code != 0) {
    json["error_code"] = answer.code;
    json["missing"] = Json::array();
    for (const auto& missing : answer.missing) json["missing"].push_back(ToJson(missing));
    json["missing_functions"] = ToJson(answer.missing_functions);
  }
  json["target_error"] = TextOrNull(answer.target_error);
  json["uncertain"] = answer.uncertain;
  json["notes"] = answer.notes;
  return JsonDocument(json);
}

std::string ToJson(const report::LoadAnswer& answer) {
  Json json = {{"schema", "culprit.why/1"},
               {"target", TextOrNull(answer.target)},
               {"interpreter", TextOrNull(answer.interpreter)}};
  AddVersion(json, answer.version);
  json["loads"] = Json::array();
  for (const report::Load& load : answer.loads) {
    Json item = {{"name", load.name},
                 {"path", load.path},
                 {"via", base::NameOrNone(load.via)},
                 {"requested_by", load.requested_by},
                 {"opened_by", base::Word(load.opened_by)}};
    if (load.real_path != load.path) item["real_path"] = load.real_path;
    if (!load.title.empty()) {
      item["title"] = load.title;
      AddVersion(item, load.version);
    }
    if (!load.problem.empty()) item["problem"] = load.problem;
    json["loads"].push_back(std::move(item));
  }
  json["missing"] = Json::array();
  for (const auto& missing : answer.missing) json["missing"].push_back(ToJson(missing));
  json["optional_missing"] = Json::array();
  for (const auto& missing : answer.optional_missing) json["optional_missing"].push_back(ToJson(missing));
  if (!answer.missing_functions.empty()) json["missing_functions"] = ToJson(answer.missing_functions);
  json["error"] = TextOrNull(answer.error);
  if (!answer.version_errors.empty()) json["version_errors"] = answer.version_errors;
  json["warnings"] = answer.warnings;
  json["uncertain"] = answer.uncertain;
  json["notes"] = answer.notes;
  return JsonDocument(json);
}

}  // namespace culprit::render
