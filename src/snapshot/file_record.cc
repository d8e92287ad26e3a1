// A record is a list of nodes, sorted by path. It is not an object with the paths as keys: our JSON type
// finds a key by linear search, and there are tens of thousands.
#include "snapshot/file_record.h"

#include "base/text.h"
#include "snapshot/json/elf_json.h"
#include "snapshot/json/fact_json.h"
#include "snapshot/json/fields.h"
#include "snapshot/json/file_record_json.h"
#include "snapshot/json/gpu_code_json.h"
#include "snapshot/json/pe_json.h"

namespace culprit::snapshot {
namespace {

base::Json VersionToJson(const LibraryVersion& version) {
  [[maybe_unused]] const auto& [f1, f2] = version;
  JsonWriter json;
  json.Text("version", version.version);
  json.Text("cuda", version.cuda);
  return json.Take();
}

void ReadVersion(const JsonReader& json, LibraryVersion& version) {
  json.Field("version", version.version);
  json.Field("cuda", version.cuda);
}

base::Json NodeToJson(const std::string& path, const RecordedNode& node) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15] = node;
  JsonWriter json;
  json.Value("path", EncodeBytes(path));
  if (node.kind != FileKind::kOther) json.Value("kind", base::Word(node.kind));
  if (node.error != PathError::kNone) json.Value("error", base::Word(node.error));
  json.Text("link_target", node.link_target);
  json.Flag("listed", node.listed);
  json.Number("device", node.id.device);
  json.Number("inode", node.id.inode);
  json.Number("size", node.size);
  json.Flag("set_user_id", node.set_user_id);
  json.Flag("not_executable", node.not_executable);
  if (node.elf) json.Value("elf", ElfToJson(*node.elf));
  if (node.pe) json.Value("pe", PeToJson(*node.pe));
  if (node.exports) json.Value("exports", PeExportsToJson(*node.exports));
  json.List("undefined", node.undefined, FieldsToJson<RecordedUndefined>);
  json.Texts("names_inside", node.names_inside);
  if (node.version) json.Value("version", FactToJson(*node.version, VersionToJson));
  if (node.gpu_code) json.Value("gpu_code", FactToJson(*node.gpu_code, GpuCodeToJson));
  return json.Take();
}

template <typename T, typename Read>
void ReadShared(const JsonReader& json, const char* key, std::shared_ptr<const T>& out, Read read) {
  json.With(key, [&](const JsonReader& field) {
    const auto facts = std::make_shared<T>();
    read(field, *facts);
    out = facts;
  });
}

void ReadNode(const JsonReader& json, RecordedNode& node) {
  json.Field("kind", node.kind);
  json.Field("error", node.error);
  json.Field("link_target", node.link_target);
  json.Field("listed", node.listed);
  json.Field("device", node.id.device);
  json.Field("inode", node.id.inode);
  json.Field("size", node.size);
  json.Field("set_user_id", node.set_user_id);
  json.Field("not_executable", node.not_executable);
  ReadShared(json, "elf", node.elf, ReadElfJson);
  ReadShared(json, "pe", node.pe, ReadPeJson);
  ReadShared(json, "exports", node.exports, ReadPeExportsJson);
  json.With("undefined", [&](const JsonReader& field) {
    field.Each([&](const JsonReader& item) {
      ReadFields(item, node.undefined.emplace_back());
      std::ranges::sort(node.undefined.back().process);
    });
  });
  json.Field("names_inside", node.names_inside);
  json.With("version",
            [&](const JsonReader& field) { ReadFact(field, node.version.emplace(), ReadVersion); });
  json.With("gpu_code",
            [&](const JsonReader& field) { ReadFact(field, node.gpu_code.emplace(), ReadGpuCodeJson); });
}

template <typename Facts>
bool SameFacts(const std::shared_ptr<const Facts>& a, const std::shared_ptr<const Facts>& b) {
  return a && b ? *a == *b : !a && !b;
}

bool IsCleanAbsolute(std::string_view path) {
  if (!path.starts_with('/') || base::CleanPath(path) != path) return false;
  return !(std::string(path) + "/").contains("/../");
}

}  // namespace

bool RecordedNode::operator==(const RecordedNode& other) const {
  return SameFacts(elf, other.elf) && SameFacts(pe, other.pe) && SameFacts(exports, other.exports) &&
         kind == other.kind && error == other.error && link_target == other.link_target &&
         undefined == other.undefined && names_inside == other.names_inside && listed == other.listed &&
         id == other.id && size == other.size && set_user_id == other.set_user_id &&
         not_executable == other.not_executable && version == other.version && gpu_code == other.gpu_code;
}

base::Json ToJson(const FileRecord& record) {
  base::Json json = base::Json::array();
  for (const auto& [path, node] : record.nodes) json.push_back(NodeToJson(path, node));
  return json;
}

void ReadFileRecordJson(const JsonReader& json, FileRecord& record) {
  json.Each([&](const JsonReader& item) {
    std::string path;
    item.Require("path");
    item.Field("path", path);
    if (!item.failed() && !IsCleanAbsolute(path)) item.Fail("not a clean absolute path: " + path);
    const auto [node, is_new] = record.nodes.try_emplace(path);
    if (!is_new) item.Fail("twice in the list: " + path);
    ReadNode(item, node->second);
  });
}

base::Result<FileRecord> FileRecordFromJson(const base::Json& json) {
  FileRecord record;
  std::string error;
  ReadFileRecordJson(JsonReader(json, error), record);
  if (!error.empty()) return base::Fail(base::ErrorCode::kBadFormat, "bad record of files: " + error);
  return record;
}

}  // namespace culprit::snapshot
