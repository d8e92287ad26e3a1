// Writes one JSON object field by field and leaves out default values, since a snapshot has tens of thousands
// of small objects. Strings go through EncodeBytes, so writing the result can never fail.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "snapshot/json/byte_text.h"

namespace culprit::snapshot {

inline base::Json TextsToJson(const std::vector<std::string>& texts) {
  base::Json json = base::Json::array();
  for (const std::string& text : texts) json.push_back(EncodeBytes(text));
  return json;
}

class JsonWriter {
 public:
  // Always written. Use each key only once: it is appended without a search.
  void Value(std::string key, base::Json value) {
    json_.get_ref<base::Json::object_t&>().emplace_back(std::move(key), std::move(value));
  }
  // Left out when empty, 0, false or nullopt.
  void Text(const char* key, const std::string& text) {
    if (!text.empty()) Value(key, EncodeBytes(text));
  }
  void Text(const char* key, const std::optional<std::string>& text) {
    if (text) Value(key, EncodeBytes(*text));
  }
  void Texts(const char* key, const std::vector<std::string>& texts) {
    if (!texts.empty()) Value(key, TextsToJson(texts));
  }
  void Number(const char* key, std::integral auto number) {
    if (number != 0) Value(key, number);
  }
  void Flag(const char* key, bool flag) {
    if (flag) Value(key, true);
  }
  // The items of a list, each made by `write`; left out when the list is empty.
  template <typename Items, typename Write>
  void List(const char* key, const Items& items, Write write) {
    if (items.empty()) return;
    base::Json json = base::Json::array();
    for (const auto& item : items) json.push_back(write(item));
    Value(key, std::move(json));
  }

  base::Json Take() { return std::move(json_); }

 private:
  base::Json json_ = base::Json::object();
};

}  // namespace culprit::snapshot
