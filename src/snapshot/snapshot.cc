// The file format "culprit.snapshot/1": one JSON object whose keys are the field names of Snapshot, the
// schema first. These top-level fields are required; inside them, a missing field has its default. Strings
// are encoded as in byte_text.h. Additions do not change the schema: readers ignore keys they do not know.
#include "snapshot/snapshot.h"

#include "snapshot/json/fact_json.h"
#include "snapshot/json/file_record_json.h"
#include "snapshot/json/ld_cache_json.h"
#include "snapshot/json/parse_json.h"
#include "snapshot/json/stack_json.h"

namespace culprit::snapshot {
namespace {

constexpr std::string_view kSchema = "culprit.snapshot/1";
constexpr std::string_view kSchemaKind = "culprit.snapshot/";

base::Json TextToJson(const std::string& text) { return EncodeBytes(text); }
void ReadText(const JsonReader& json, std::string& text) { json.Get(text); }

base::Json CpuToJson(const base::Cpu& cpu) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5] = cpu;
  JsonWriter json;
  json.Text("machine", cpu.machine);
  json.Text("platform", cpu.platform);
  json.Texts("isa_levels", cpu.isa_levels);
  json.Texts("legacy_caps", cpu.legacy_caps);
  json.Value("page_size", cpu.page_size);
  return json.Take();
}

void ReadCpu(const JsonReader& json, base::Cpu& cpu) {
  json.Field("machine", cpu.machine);
  json.Field("platform", cpu.platform);
  json.Field("isa_levels", cpu.isa_levels);
  json.Field("legacy_caps", cpu.legacy_caps);
  json.Field("page_size", cpu.page_size);
}

LoaderFlavor LoaderFlavorFromName(std::string_view name) {
  if (name == Name(LoaderFlavor::kGlibc)) return LoaderFlavor::kGlibc;
  return name == Name(LoaderFlavor::kMusl) ? LoaderFlavor::kMusl : LoaderFlavor::kUnknown;
}

base::Json LoaderToJson(const LoaderFacts& loader) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10] = loader;
  JsonWriter json;
  json.Value("path", EncodeBytes(loader.path));
  json.Value("flavor", Name(loader.flavor));
  json.Number("machine", loader.machine);
  json.Number("bits", loader.bits);
  json.Text("soname", loader.soname);
  json.Text("version", loader.version);
  json.Texts("system_dirs", loader.system_dirs);
  json.Text("lib_token", loader.lib_token);
  if (loader.path_file != Fact<std::string>{}) {
    json.Value("path_file", FactToJson(loader.path_file, TextToJson));
  }
  json.Texts("assumptions", loader.assumptions);
  return json.Take();
}

void ReadLoader(const JsonReader& json, LoaderFacts& loader) {
  json.Require("path");
  json.Field("path", loader.path);
  json.Named("flavor", loader.flavor, LoaderFlavorFromName);
  json.Field("machine", loader.machine);
  json.Field("bits", loader.bits);
  json.Field("soname", loader.soname);
  json.Field("version", loader.version);
  json.Field("system_dirs", loader.system_dirs);
  json.Field("lib_token", loader.lib_token);
  json.With("path_file", [&](const JsonReader& fact) { ReadFact(fact, loader.path_file, ReadText); });
  json.Field("assumptions", loader.assumptions);
}

base::Json EnvironmentToJson(const std::map<std::string, std::string>& environment) {
  JsonWriter json;
  for (const auto& [name, value] : environment) json.Value(EncodeBytes(name), EncodeBytes(value));
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
  json.With("cpu", [&](const JsonReader& cpu) { ReadCpu(cpu, snapshot.cpu); });
  json.With("loaders", [&](const JsonReader& loaders) {
    loaders.Each([&](const JsonReader& loader) { ReadLoader(loader, snapshot.loaders.emplace_back()); });
  });
  json.With("ld_cache", [&](const JsonReader& fact) { ReadFact(fact, snapshot.ld_cache, ReadLdCacheJson); });
  json.With("ld_so_preload",
            [&](const JsonReader& fact) { ReadFact(fact, snapshot.ld_so_preload, ReadText); });
  json.With("stack", [&](const JsonReader& stack) { ReadStackJson(stack, snapshot.stack); });
  json.With("files", [&](const JsonReader& files) { ReadFileRecordJson(files, snapshot.files); });
}

}  // namespace

std::string_view Name(LoaderFlavor flavor) {
  switch (flavor) {
    case LoaderFlavor::kGlibc:
      return "glibc";
    case LoaderFlavor::kMusl:
      return "musl";
    case LoaderFlavor::kUnknown:
      return "unknown";
  }
  return "unknown";
}

const LoaderFacts* Snapshot::FindLoader(std::string_view interpreter) const {
  for (const LoaderFacts& loader : loaders) {
    if (loader.path == interpreter) return &loader;
  }
  return nullptr;
}

base::Json ToJson(const Snapshot& snapshot) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9] = snapshot;
  base::Json loaders = base::Json::array();
  for (const LoaderFacts& loader : snapshot.loaders) loaders.push_back(LoaderToJson(loader));
  JsonWriter json;
  json.Value("schema", kSchema);
  json.Value("tool_version", EncodeBytes(snapshot.tool_version));
  json.Value("environment", EnvironmentToJson(snapshot.environment));
  json.Value("working_directory", EncodeBytes(snapshot.working_directory));
  json.Value("cpu", CpuToJson(snapshot.cpu));
  json.Value("loaders", std::move(loaders));
  json.Value("ld_cache", FactToJson(snapshot.ld_cache, LdCacheToJson));
  json.Value("ld_so_preload", FactToJson(snapshot.ld_so_preload, TextToJson));
  if (snapshot.stack != Stack{}) json.Value("stack", ToJson(snapshot.stack));
  json.Value("files", ToJson(snapshot.files));
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
