// One description of a structure serves both directions of JSON. A structure says
//
//   template <typename Self, typename Visit>
//   static void Fields(Self& self, Visit& visit) { visit("path", self.path); ... }
//
// and can then be written with FieldsToJson and read with ReadFields. For a structure of a lower room, say it
// in a specialization of FieldsOf, or of RowOf if it is written as a short list of its values. Strings,
// numbers, flags, enumerations with words (base/words.h), classes that are written as one text, optionals,
// lists, maps by name, Facts and other such structures can be fields. What is empty, 0 or false is left out,
// and that must be the default. A test reads back a sample in which every field is set (stack_test.cc,
// snapshot_test.cc), so it finds a field that was forgotten here.
#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/words.h"
#include "snapshot/json/fact_json.h"

namespace culprit::snapshot {

template <typename T>
base::Json FieldsToJson(const T& self);
template <typename T>
void ReadFields(const JsonReader& json, T& self);

template <typename T>
struct FieldsOf {
  template <typename Self, typename Visit>
  static void List(Self& self, Visit& visit) {
    T::Fields(self, visit);
  }
};

// A specialization has kProblem ("not a segment") and Values(self), which gives a std::tie of the values.
template <typename T>
struct RowOf {};
template <typename T>
concept Row = requires { RowOf<T>::kProblem; };

template <typename T>
concept OneText =
    !std::same_as<T, std::string> && std::constructible_from<T, std::string> && requires(const T& value) {
      { value.text() } -> std::convertible_to<std::string>;
    };

template <typename T>
base::Json FieldToJson(const T& value) {
  if constexpr (std::same_as<T, std::string>) {
    return EncodeBytes(value);
  } else if constexpr (std::integral<T>) {
    return value;
  } else if constexpr (base::Worded<T>) {
    return std::string(base::Word(value));
  } else if constexpr (OneText<T>) {
    return EncodeBytes(value.text());
  } else if constexpr (Row<T>) {
    base::Json row = base::Json::array();
    std::apply([&](const auto&... values) { (row.push_back(FieldToJson(values)), ...); },
               RowOf<T>::Values(value));
    return row;
  } else {
    return FieldsToJson(value);
  }
}

template <typename T>
void ReadRow(const JsonReader& json, T& row);

template <typename T>
void ReadField(const JsonReader& json, T& value) {
  if constexpr (std::same_as<T, std::string> || std::integral<T> || base::Worded<T>) {
    json.Get(value);
  } else if constexpr (OneText<T>) {
    std::string text;
    json.Get(text);
    value = T(std::move(text));
  } else if constexpr (Row<T>) {
    ReadRow(json, value);
  } else {
    ReadFields(json, value);
  }
}

template <typename T>
void ReadRow(const JsonReader& json, T& row) {
  size_t count = 0;
  json.Each([&](const JsonReader& item) {
    const auto read_one = [&](auto&... values) {
      size_t index = 0;
      const bool known = ((index++ == count && (ReadField(item, values), true)) || ...);
      if (!known) item.Fail(RowOf<T>::kProblem);
    };
    std::apply(read_one, RowOf<T>::Values(row));
    ++count;
  });
  constexpr size_t kCount = std::tuple_size_v<decltype(RowOf<T>::Values(row))>;
  if (!json.failed() && count != kCount) json.Fail(RowOf<T>::kProblem);
}

class FieldWriter {
 public:
  template <typename T>
  void operator()(const char* key, const T& value) {
    if (value != T{}) json_.Value(key, FieldToJson(value));
  }
  template <typename T>
  void operator()(const char* key, const std::optional<T>& value) {
    if (value) json_.Value(key, FieldToJson(*value));
  }
  template <typename T>
  void operator()(const char* key, const std::vector<T>& values) {
    json_.List(key, values, [](const T& value) { return FieldToJson(value); });
  }
  template <typename T>
  void operator()(const char* key, const std::map<std::string, T>& values) {
    if (values.empty()) return;
    JsonWriter map;
    for (const auto& [name, value] : values) map.Value(EncodeBytes(name), FieldToJson(value));
    json_.Value(key, map.Take());
  }
  template <typename T>
  void operator()(const char* key, const Fact<T>& fact) {
    if (fact != Fact<T>{})
      json_.Value(key, FactToJson(fact, [](const T& value) { return FieldToJson(value); }));
  }
  template <typename T>
  void operator()(const char* key, const Fact<std::vector<T>>& fact) {
    if (fact == Fact<std::vector<T>>{}) return;
    json_.Value(key, FactToJson(fact, [](const std::vector<T>& values) {
                  base::Json list = base::Json::array();
                  for (const T& value : values) list.push_back(FieldToJson(value));
                  return list;
                }));
  }
  // Written even if it is empty, 0 or false.
  template <typename T>
  void Always(const char* key, const T& value) {
    json_.Value(key, FieldToJson(value));
  }
  // A value with a form of its own: `write` makes the JSON of it, `read(reader, value)` reads that.
  template <typename T, typename Write, typename Read>
  void As(const char* key, const T& value, Write write, Read) {
    if (value != T{}) json_.Value(key, write(value));
  }

  base::Json Take() { return json_.Take(); }

 private:
  JsonWriter json_;
};

class FieldReader {
 public:
  explicit FieldReader(const JsonReader& json) : json_(json) {}

  template <typename T>
  void operator()(const char* key, T& value) {
    json_.With(key, [&](const JsonReader& field) { ReadField(field, value); });
  }
  template <typename T>
  void operator()(const char* key, std::optional<T>& value) {
    json_.With(key, [&](const JsonReader& field) { ReadField(field, value.emplace()); });
  }
  template <typename T>
  void operator()(const char* key, std::vector<T>& values) {
    json_.With(key, [&](const JsonReader& field) { ReadList(field, values); });
  }
  template <typename T>
  void operator()(const char* key, std::map<std::string, T>& values) {
    json_.With(key, [&](const JsonReader& field) {
      field.EachField(
          [&](const std::string& name, const JsonReader& item) { ReadField(item, values[name]); });
    });
  }
  template <typename T>
  void operator()(const char* key, Fact<T>& fact) {
    json_.With(key, [&](const JsonReader& field) {
      ReadFact(field, fact, [](const JsonReader& item, T& value) { ReadField(item, value); });
    });
  }
  template <typename T>
  void operator()(const char* key, Fact<std::vector<T>>& fact) {
    json_.With(key, [&](const JsonReader& field) {
      ReadFact(field, fact, [](const JsonReader& item, std::vector<T>& values) { ReadList(item, values); });
    });
  }
  template <typename T>
  void Always(const char* key, T& value) {
    (*this)(key, value);
  }
  template <typename T, typename Write, typename Read>
  void As(const char* key, T& value, Write, Read read) {
    json_.With(key, [&](const JsonReader& field) { read(field, value); });
  }

 private:
  template <typename T>
  static void ReadList(const JsonReader& json, std::vector<T>& values) {
    values.clear();
    json.Each([&](const JsonReader& item) { ReadField(item, values.emplace_back()); });
  }

  const JsonReader& json_;
};

template <typename T>
base::Json FieldsToJson(const T& self) {
  FieldWriter writer;
  FieldsOf<T>::List(self, writer);
  return writer.Take();
}

template <typename T>
void ReadFields(const JsonReader& json, T& self) {
  FieldReader reader(json);
  FieldsOf<T>::List(self, reader);
}

}  // namespace culprit::snapshot
