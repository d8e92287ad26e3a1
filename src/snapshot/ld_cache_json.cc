#include "snapshot/ld_cache_json.h"

#include "snapshot/json_writer.h"

namespace culprit::snapshot {
namespace {

using binfmt::LdCache;
using binfmt::LdCacheEntry;

std::string_view Name(LdCache::Layout layout) {
  switch (layout) {
    case LdCache::Layout::kOld:
      return "old";
    case LdCache::Layout::kEmbedded:
      return "embedded";
    case LdCache::Layout::kNew:
      return "new";
  }
  return "new";
}

LdCache::Layout LayoutFromName(std::string_view name) {
  if (name == "old") return LdCache::Layout::kOld;
  return name == "embedded" ? LdCache::Layout::kEmbedded : LdCache::Layout::kNew;
}

base::Json EntryToJson(const LdCacheEntry& entry) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5] = entry;
  JsonWriter json;
  json.Text("name", entry.name);
  json.Text("path", entry.path);
  json.Number("flags", entry.flags);
  json.Number("hwcap", entry.hwcap);
  json.Text("hwcaps_dir", entry.hwcaps_dir);
  return json.Take();
}

}  // namespace

base::Json LdCacheToJson(const LdCache& cache) {
  [[maybe_unused]] const auto& [f1, f2, f3] = cache;
  JsonWriter json;
  json.Value("layout", Name(cache.layout));
  json.Text("generator", cache.generator);
  json.List("entries", cache.entries, EntryToJson);
  return json.Take();
}

void ReadLdCacheJson(const JsonReader& json, LdCache& cache) {
  json.With("layout", [&](const JsonReader& layout) {
    std::string name;
    layout.Get(name);
    cache.layout = LayoutFromName(name);
    if (Name(cache.layout) != name) layout.Fail("unknown name \"" + name + "\"");
  });
  json.Field("generator", cache.generator);
  json.With("entries", [&](const JsonReader& entries) {
    entries.Each([&](const JsonReader& item) {
      LdCacheEntry& entry = cache.entries.emplace_back();
      item.Field("name", entry.name);
      item.Field("path", entry.path);
      item.Field("flags", entry.flags);
      item.Field("hwcap", entry.hwcap);
      item.Field("hwcaps_dir", entry.hwcaps_dir);
    });
  });
}

}  // namespace culprit::snapshot
