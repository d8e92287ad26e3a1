#include "snapshot/json/ld_cache_json.h"

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/words.h"
#include "snapshot/json/json_writer.h"

namespace culprit::snapshot {
namespace {

using binfmt::LdCache;
using binfmt::LdCacheEntry;

base::Json EntryToJson(const LdCacheEntry& entry) {
  // A new field must be added in both directions; this fails to compile until then.
  [[maybe_unused]] const auto& [f1, f2, f3, f4, f5] = entry;
  JsonWriter json;
  json.Text("name", std::string(entry.name));
  json.Text("path", std::string(entry.path));
  json.Number("flags", entry.flags);
  json.Number("hwcap", entry.hwcap);
  json.Text("hwcaps_dir", std::string(entry.hwcaps_dir));
  return json.Take();
}

}  // namespace

base::Json LdCacheToJson(const LdCache& cache) {
  [[maybe_unused]] const auto& [f1, f2, f3, texts] = cache;
  JsonWriter json;
  json.Value("layout", base::Word(cache.layout));
  json.Text("generator", cache.generator);
  json.List("entries", cache.entries, EntryToJson);
  return json.Take();
}

void ReadLdCacheJson(const JsonReader& json, LdCache& cache) {
  json.Field("layout", cache.layout);
  json.Field("generator", cache.generator);
  const auto texts = std::make_shared<std::deque<std::string>>();
  const auto read_text = [&](const JsonReader& item, const char* key, std::string_view& out) {
    item.Field(key, texts->emplace_back());
    out = texts->back();
  };
  std::vector<LdCacheEntry> read;
  json.With("entries", [&](const JsonReader& entries) {
    entries.Each([&](const JsonReader& item) {
      LdCacheEntry& entry = read.emplace_back();
      read_text(item, "name", entry.name);
      read_text(item, "path", entry.path);
      item.Field("flags", entry.flags);
      item.Field("hwcap", entry.hwcap);
      read_text(item, "hwcaps_dir", entry.hwcaps_dir);
    });
  });
  cache.entries = std::move(read);
  cache.texts = texts;
}

}  // namespace culprit::snapshot
