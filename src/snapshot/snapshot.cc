// The file format "culprit.snapshot/1": one JSON object whose keys are the field names of Snapshot, the
// schema first. These top-level fields are required; inside them, a missing field has its default. Strings
// are encoded as in byte_text.h. Additions do not change the schema: readers ignore keys they do not know.
#include "snapshot/snapshot.h"

#include "snapshot/json/fact_json.h"
#include "snapshot/json/fields.h"
#include "snapshot/json/file_record_json.h"
#include "snapshot/json/ld_cache_json.h"
#include "snapshot/json/parse_json.h"
#include "snapshot/json/stack_json.h"
#include "snapshot/secrets/hide.h"

namespace culprit::snapshot {

// Each list binds all fields of its structure, so that it does not compile until a new field is added to it.

template <>
struct FieldsOf<base::Cpu> {
  static void List(auto& cpu, auto& visit) {
    auto& [machine, platform, isa_levels, legacy_caps, page_size] = cpu;
    visit("machine", machine);
    visit("platform", platform);
    visit("isa_levels", isa_levels);
    visit("legacy_caps", legacy_caps);
    visit.Always("page_size", page_size);
  }
};

template <>
struct FieldsOf<LoaderFacts> {
  static void List(auto& loader, auto& visit) {
    auto& [path, flavor, machine, bits, soname, version, system_dirs, lib_token, path_file, assumptions] =
        loader;
    visit.Always("path", path);
    visit.Always("flavor", flavor);
    visit("machine", machine);
    visit("bits", bits);
    visit("soname", soname);
    visit("version", version);
    visit("system_dirs", system_dirs);
    visit("lib_token", lib_token);
    visit("path_file", path_file);
    visit("assumptions", assumptions);
  }
};

template <>
struct FieldsOf<UnreadPlace> {
  static void List(auto& place, auto& visit) {
    auto& [path, why, names] = place;
    visit.Always("path", path);
    visit.Always("why", why);
    visit("names", names);
  }
};

namespace {

constexpr std::string_view kSchema = "culprit.snapshot/1";
constexpr std::string_view kSchemaKind = "culprit.snapshot/";

base::Json TextToJson(const std::string& text) { return EncodeBytes(text); }
void ReadText(const JsonReader& json, std::string& text) { json.Get(text); }

template <typename T>
base::Json ListToJson(const std::vector<T>& list) {
  base::Json json = base::Json::array();
  for (const T& item : list) json.push_back(FieldsToJson(item));
  return json;
}

// Also of a snapshot that was taken before this culprit knew a secret as such.
base::Json EnvironmentToJson(const std::map<std::string, std::string>& environment) {
  JsonWriter json;
  for (const auto& [name, value] : environment)
    json.Value(EncodeBytes(name), EncodeBytes(HideVariable(name, value)));
  return json.Take();
}

void ReadSnapshot(const JsonReader& json, Snapshot& snapshot) {
  for (const char* key : {"tool_version", "environment", "working_directory", "cpu", "loaders", "ld_cache",
                          "ld_so_preload", "files"}) {
    json.Require(key);
  }
  if (json.failed()) return;
  json.Field("tool_version", snapshot.tool_version);
  json.With("environment", [&](const JsonReader& environment) {
    environment.EachField(
        [&](const std::string& name, const JsonReader& value) { value.Get(snapshot.environment[name]); });
  });
  json.Field("working_directory", snapshot.working_directory);
  json.With("cpu", [&](const JsonReader& cpu) { ReadFields(cpu, snapshot.cpu); });
  ReadList(json, "loaders", snapshot.loaders, [](const JsonReader& item, LoaderFacts& loader) {
    item.Require("path");
    ReadFields(item, loader);
  });
  json.With("ld_cache", [&](const JsonReader& fact) { ReadFact(fact, snapshot.ld_cache, ReadLdCacheJson); });
  json.With("ld_so_preload",
            [&](const JsonReader& fact) { ReadFact(fact, snapshot.ld_so_preload, ReadText); });
  json.With("ld_so_conf", [&](const JsonReader& fact) {
    ReadFact(fact, snapshot.ld_so_conf,
             [](const JsonReader& list, std::vector<std::string>& directories) { list.Get(directories); });
  });
  json.With("stack", [&](const JsonReader& stack) { ReadStackJson(stack, snapshot.stack); });
  json.With("files", [&](const JsonReader& files) { ReadFileRecordJson(files, snapshot.files); });
  ReadList(json, "unread", snapshot.unread,
           [](const JsonReader& item, UnreadPlace& place) { ReadFields(item, place); });
}

}  // namespace

const LoaderFacts* Snapshot::FindLoader(std::string_view interpreter) const {
  for (const LoaderFacts& loader : loaders) {
    if (loader.path == interpreter) return &loader;
  }
  return nullptr;
}

base::Json ToJson(const Snapshot& snapshot) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11] = snapshot;
  JsonWriter json;
  json.Value("schema", kSchema);
  json.Value("tool_version", EncodeBytes(snapshot.tool_version));
  json.Value("environment", EnvironmentToJson(snapshot.environment));
  json.Value("working_directory", EncodeBytes(snapshot.working_directory));
  json.Value("cpu", FieldsToJson(snapshot.cpu));
  json.Value("loaders", ListToJson(snapshot.loaders));
  json.Value("ld_cache", FactToJson(snapshot.ld_cache, LdCacheToJson));
  json.Value("ld_so_preload", FactToJson(snapshot.ld_so_preload, TextToJson));
  if (snapshot.ld_so_conf != decltype(snapshot.ld_so_conf)())
    json.Value("ld_so_conf", FactToJson(snapshot.ld_so_conf, TextsToJson));
  if (snapshot.stack != Stack{}) json.Value("stack", ToJson(snapshot.stack));
  json.Value("files", ToJson(snapshot.files));
  if (!snapshot.unread.empty()) json.Value("unread", ListToJson(snapshot.unread));
  return json.Take();
}

base::Result<Snapshot> SnapshotFromJson(const base::Json& json) {
  std::string error, schema;
  const JsonReader reader(json, error);
  reader.Require("schema");
  reader.Field("schema", schema);
  if (!error.empty()) return base::Fail(base::ErrorCode::kBadFormat, "not a culprit snapshot: " + error);
  if (schema != kSchema) {
    reader.Fail("its schema is \"" + schema.substr(0, 40) + "\", this culprit reads \"" +
                std::string(kSchema) + "\"");
    return schema.starts_with(kSchemaKind)
               ? base::Fail(base::ErrorCode::kUnsupported, "a snapshot of another format: " + error)
               : base::Fail(base::ErrorCode::kBadFormat, "not a culprit snapshot: " + error);
  }
  Snapshot snapshot;
  ReadSnapshot(reader, snapshot);
  if (!error.empty()) return base::Fail(base::ErrorCode::kBadFormat, "bad snapshot: " + error);
  return snapshot;
}

std::string ToJsonText(const Snapshot& snapshot) {
  return ToJson(snapshot).dump(-1, ' ', false, base::Json::error_handler_t::replace) + "\n";
}

base::Result<Snapshot> ParseSnapshot(std::string_view text) {
  base::Result<base::Json> json = ParseJson(text);
  if (!json) {
    return base::Fail(json.error().code, "not a culprit snapshot: " + json.error().message);
  }
  return SnapshotFromJson(*json);
}

}  // namespace culprit::snapshot
