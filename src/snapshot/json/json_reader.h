// Reads untrusted JSON field by field. Nothing throws: the first error is kept with its place
// ("files[3].elf.machine: ..."), and reading on after it does no harm. So the reader of a structure is a
// plain list of its fields, and its caller checks once, at the end. Unknown keys are ignored; missing ones
// leave the default, unless Require() asks for them.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/words.h"
#include "snapshot/json/byte_text.h"

namespace culprit::snapshot {

class JsonReader {
 public:
  // `error` stays empty until something is wrong. Both must outlive the reader.
  JsonReader(const base::Json& json, std::string& error) : json_(json), error_(error) {}

  bool failed() const { return !error_.empty(); }
  // Reports this value as wrong, unless there was an error before.
  void Fail(const std::string& what) const;

  // This value itself.
  void Get(bool& out) const;
  void Get(std::string& out) const;
  void Get(std::integral auto& out) const;
  template <base::Worded Enum>
  void Get(Enum& out) const;
  template <typename T>
  void Get(std::vector<T>& out) const;
  template <typename Read>
  void Each(Read read) const;  // read(item) for each item of a list
  template <typename Read>
  void EachField(Read read) const;  // read(key, field) for each field of an object, key decoded

  // A field of this object.
  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  void Require(std::string_view key) const;
  template <typename T>
  void Field(std::string_view key, T& out) const;
  template <typename T>
  void Field(std::string_view key, std::optional<T>& out) const;
  template <typename Read>
  void With(std::string_view key, Read read) const;  // read(field) if it is there

 private:
  JsonReader(const base::Json& json, const JsonReader& parent, std::string_view key, size_t index)
      : json_(json), error_(parent.error_), parent_(&parent), key_(key), index_(index) {}
  const base::Json* Find(std::string_view key) const;
  void WrongType(std::string_view wanted) const;
  std::string Where() const;

  const base::Json& json_;
  std::string& error_;
  const JsonReader* parent_ = nullptr;
  std::string_view key_;  // in the parent, when that is an object
  size_t index_ = 0;      // in the parent, when that is a list
};

void JsonReader::Get(std::integral auto& out) const {
  using T = std::remove_reference_t<decltype(out)>;
  if (json_.is_number_unsigned()) {
    const auto number = json_.get<uint64_t>();
    if (std::in_range<T>(number)) return void(out = static_cast<T>(number));
  } else if (json_.is_number_integer()) {
    const auto number = json_.get<int64_t>();
    if (std::in_range<T>(number)) return void(out = static_cast<T>(number));
  }
  WrongType("a whole number from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
            std::to_string(std::numeric_limits<T>::max()));
}

template <base::Worded Enum>
void JsonReader::Get(Enum& out) const {
  std::string word;
  Get(word);
  const std::optional<Enum> known = base::FromWord<Enum>(word);
  if (!known) return Fail("unknown name \"" + word + "\"");
  out = *known;
}

template <typename Read>
void JsonReader::Each(Read read) const {
  if (!json_.is_array()) return WrongType("a list");
  for (size_t i = 0; i < json_.size() && !failed(); ++i) read(JsonReader(json_[i], *this, {}, i));
}

template <typename Read>
void JsonReader::EachField(Read read) const {
  if (!json_.is_object()) return WrongType("an object");
  for (const auto& [key, value] : json_.template get_ref<const base::Json::object_t&>()) {
    if (failed()) return;
    read(DecodeBytes(key), JsonReader(value, *this, key, 0));
  }
}

template <typename T>
void JsonReader::Get(std::vector<T>& out) const {
  out.clear();
  Each([&](const JsonReader& item) {
    T value{};
    item.Get(value);
    out.push_back(std::move(value));
  });
}

template <typename T>
void JsonReader::Field(std::string_view key, T& out) const {
  With(key, [&](const JsonReader& field) { field.Get(out); });
}

template <typename T>
void JsonReader::Field(std::string_view key, std::optional<T>& out) const {
  With(key, [&](const JsonReader& field) { field.Get(out.emplace()); });
}

template <typename Read>
void JsonReader::With(std::string_view key, Read read) const {
  if (const base::Json* const field = Find(key)) read(JsonReader(*field, *this, key, 0));
}

// read(item, T&) for each item of the list at `key`.
template <typename T, typename Read>
void ReadList(const JsonReader& json, const char* key, std::vector<T>& out, Read read) {
  json.With(key, [&](const JsonReader& list) {
    list.Each([&](const JsonReader& item) { read(item, out.emplace_back()); });
  });
}

}  // namespace culprit::snapshot
