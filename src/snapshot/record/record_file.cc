#include "snapshot/record/record_file.h"

#include "snapshot/json/fields.h"
#include "snapshot/json/parse_json.h"

namespace culprit::record {
namespace {

constexpr std::string_view kSchemaKind = "culprit.record/";

std::unexpected<base::Error> NoRecord(base::ErrorCode code, const std::string& why) {
  return base::Fail(code, "not a culprit record: " + why);
}

}  // namespace

std::string ToJsonText(const RecordFile& file) {
  snapshot::JsonWriter json;
  json.Value("schema", kSchema);
  json.Value("run", snapshot::FieldsToJson(file.run));
  json.Value("machine", snapshot::ToJson(file.machine));
  return json.Take().dump(-1, ' ', false, base::Json::error_handler_t::replace) + "\n";
}

bool LooksLikeRecord(std::string_view beginning) {
  const size_t first = beginning.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || beginning[first] != '{') return false;
  beginning = beginning.substr(first, 200);
  const size_t key = beginning.find("\"schema\"");
  return key != std::string_view::npos && beginning.substr(key).find(kSchemaKind) != std::string_view::npos;
}

base::Result<RecordFile> ParseRecord(std::string_view text) {
  const base::Result<base::Json> json = snapshot::ParseJson(text);
  if (!json) return NoRecord(json.error().code, json.error().message);
  std::string error, schema;
  const snapshot::JsonReader reader(*json, error);
  reader.Require("schema");
  reader.Field("schema", schema);
  if (!error.empty()) return NoRecord(base::ErrorCode::kBadFormat, error);
  if (schema != kSchema) {
    const std::string why =
        "its schema is \"" + schema.substr(0, 40) + "\", this culprit reads \"" + std::string(kSchema) + "\"";
    if (schema.starts_with(kSchemaKind))
      return base::Fail(base::ErrorCode::kUnsupported, "a record of another format: " + why);
    return NoRecord(base::ErrorCode::kBadFormat, why);
  }
  reader.Require("run");
  reader.Require("machine");
  RecordFile file;
  reader.With("run", [&](const snapshot::JsonReader& run) { snapshot::ReadFields(run, file.run); });
  if (!error.empty()) return base::Fail(base::ErrorCode::kBadFormat, "bad record: " + error);
  auto machine = snapshot::SnapshotFromJson((*json)["machine"]);
  if (!machine) return base::Fail(machine.error().code, "bad record: machine: " + machine.error().message);
  file.machine = *std::move(machine);
  return file;
}

}  // namespace culprit::record
