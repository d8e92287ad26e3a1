#include "snapshot/json/json_reader.h"

#include <fmt/format.h>

#include "base/text.h"

namespace culprit::snapshot {
namespace {

// Foreign text in a message: harmless on a terminal and not longer than two lines.
std::string Short(std::string_view text) {
  constexpr size_t kLongest = 160;
  return base::Printable(text.substr(0, kLongest)) + (text.size() > kLongest ? "..." : "");
}

}  // namespace

std::string JsonReader::Where() const {
  if (parent_ == nullptr) return "";
  const std::string before = parent_->Where();
  if (parent_->json_.is_array()) return before + "[" + std::to_string(index_) + "]";
  return before + (before.empty() ? "" : ".") + Short(key_);
}

void JsonReader::Fail(const std::string& what) const {
  if (failed()) return;
  const std::string where = Where();
  error_ = (where.empty() ? "" : where + ": ") + Short(what);
}

void JsonReader::WrongType(std::string_view wanted) const {
  const bool is_number = json_.is_number();
  Fail("not " + std::string(wanted) + " but " + (is_number ? Short(json_.dump()) : json_.type_name()));
}

void JsonReader::Require(std::string_view key) const {
  if (!Has(key)) Fail(fmt::format("\"{}\" is missing", key));
}

const base::Json* JsonReader::Find(std::string_view key) const {
  if (!json_.is_object()) {
    WrongType("an object");
    return nullptr;
  }
  for (const auto& [name, value] : json_.get_ref<const base::Json::object_t&>()) {
    if (name == key) return &value;
  }
  return nullptr;
}

void JsonReader::Get(bool& out) const {
  if (!json_.is_boolean()) return WrongType("true or false");
  out = json_.get<bool>();
}

void JsonReader::Get(std::string& out) const {
  if (!json_.is_string()) return WrongType("a string");
  out = DecodeBytes(json_.get_ref<const std::string&>());
}

}  // namespace culprit::snapshot
