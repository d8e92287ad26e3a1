// Reads a data file. Every mistake is reported as FILE:LINE: MESSAGE, and all keys of a table must be known.
// Includes nothing of culprit, because a cross build compiles it with the build machine's compiler.
#pragma once

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace generate {

using Texts = std::vector<std::string>;

inline constexpr std::string_view kDigits = "0123456789";

class Errors {
 public:
  explicit Errors(std::string file = "") : file_(std::move(file)) {}
  // What is added from now on is about this file.
  void Enter(const std::string& file) { file_ = file; }
  const std::string& file() const { return file_; }
  std::string Place(int line) const { return file_ + ':' + std::to_string(line); }
  void Add(int line, const std::string& message) {
    std::cerr << Place(line) << ": " << message << '\n';
    any_ = true;
  }
  bool any() const { return any_; }

 private:
  std::string file_;
  bool any_ = false;
};

inline int LineOf(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

// One table: every key must be read; a leftover key is a typo.
class Reader {
 public:
  Reader(const toml::table& table, Errors& errors) : table_(table), errors_(errors) {}

  int line() const { return LineOf(table_); }
  bool Has(std::string_view key) const { return table_.contains(key); }
  // From now on the key has this value.
  void Give(std::string_view key, auto value) { given_.insert_or_assign(key, std::move(value)); }

  std::string Text(std::string_view key, bool required) {
    const toml::node* node = Get(key, required);
    if (node == nullptr) return "";
    const auto value = node->value<std::string>();
    if (!value || value->empty()) {
      errors_.Add(LineOf(*node), Quoted(key) + " must be a text that is not empty");
    }
    return value.value_or("");
  }

  std::optional<int64_t> Number(std::string_view key, bool required) {
    const toml::node* node = Get(key, required);
    if (node == nullptr) return std::nullopt;
    if (!node->is_integer()) errors_.Add(LineOf(*node), Quoted(key) + " must be a whole number");
    return node->value<int64_t>();
  }

  bool Flag(std::string_view key, bool required) {
    const toml::node* node = Get(key, required);
    if (node == nullptr) return false;
    if (!node->is_boolean()) errors_.Add(LineOf(*node), Quoted(key) + " must be true or false");
    return node->value_or(false);
  }

  Texts List(std::string_view key, bool required) {
    const toml::node* node = Get(key, required);
    if (node == nullptr) return {};
    Texts texts;
    if (const toml::array* array = node->as_array()) {
      for (const toml::node& item : *array) {
        const auto value = item.value<std::string>();
        if (!value || value->empty()) errors_.Add(LineOf(item), Quoted(key) + " must hold texts");
        if (value && std::find(texts.begin(), texts.end(), *value) != texts.end()) {
          errors_.Add(LineOf(item), "\"" + *value + "\" stands twice in " + std::string(key));
        }
        texts.push_back(value.value_or(""));
      }
    }
    if (texts.empty()) errors_.Add(LineOf(*node), Quoted(key) + " must be a list that is not empty");
    return texts;
  }

  std::vector<const toml::table*> Tables(std::string_view key, bool required) {
    const toml::node* node = Get(key, required);
    std::vector<const toml::table*> tables;
    if (node == nullptr) return tables;
    if (const toml::array* array = node->as_array()) {
      for (const toml::node& item : *array) {
        if (item.is_table()) tables.push_back(item.as_table());
      }
      if (tables.size() == array->size()) return tables;
    }
    errors_.Add(LineOf(*node), Quoted(key) + " must be a list of tables");
    return {};
  }

  // { key = "value", other = ["one", "two"] } as "key=value", "other=one,two".
  Texts Pairs(std::string_view key) {
    const toml::node* node = Get(key, false);
    if (node == nullptr) return {};
    Texts pairs;
    if (const toml::table* table = node->as_table()) {
      for (auto&& [name, value] : *table) {
        std::string pair = std::string(name.str()) + "=" + value.value_or(std::string());
        if (value.is_array()) {
          Reader values(*table, errors_);
          for (const std::string& text : values.List(name.str(), true)) {
            pair += (pair.back() == '=' ? "" : ",") + text;
          }
        }
        if (!value.is_array() && !value.is_string()) {
          errors_.Add(LineOf(value), Quoted(name.str()) + " must be a text or texts");
        }
        pairs.push_back(std::move(pair));
      }
    }
    if (pairs.empty()) errors_.Add(LineOf(*node), Quoted(key) + " must be a table that is not empty");
    return pairs;
  }

  const toml::table* Table(std::string_view key, bool required = true) {
    const toml::node* node = Get(key, required);
    if (node != nullptr && !node->is_table()) errors_.Add(LineOf(*node), Quoted(key) + " must be a table");
    return node == nullptr ? nullptr : node->as_table();
  }

  void Finish() {
    for (auto&& [key, node] : table_) {
      if (asked_.find(key.str()) == asked_.end())
        errors_.Add(LineOf(node), "unknown key " + Quoted(key.str()));
    }
  }

 private:
  static std::string Quoted(std::string_view key) { return "'" + std::string(key) + "'"; }

  const toml::node* Get(std::string_view key, bool required) {
    asked_.emplace(key);
    const toml::node* node = given_.get(key);
    if (node == nullptr) node = table_.get(key);
    if (node == nullptr && required) errors_.Add(LineOf(table_), Quoted(key) + " is missing");
    return node;
  }

  const toml::table& table_;
  Errors& errors_;
  toml::table given_;
  std::set<std::string, std::less<>> asked_;
};

inline bool OnlyOf(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

// "9.20" and the like.
inline std::vector<uint32_t> Numbers(std::string_view text) {
  std::vector<uint32_t> numbers;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, '.');) {
    if (part.empty() || part.size() > 9 || !OnlyOf(part, kDigits)) return {};
    numbers.push_back(static_cast<uint32_t>(std::stoul(part)));
  }
  return !text.empty() && text.back() == '.' ? std::vector<uint32_t>{} : numbers;
}

inline std::string Quote(std::string_view text) { return "\"" + std::string(text) + "\""; }

// As a C++ literal. With its length, so that the compiler need not count the bytes of every text.
inline std::string Literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '\n') {
      literal += "\\n";
      continue;
    }
    if (c == '"' || c == '\\' || c == '?') literal += '\\';  // ?? could start a trigraph
    literal += c;
  }
  return literal + "\"sv";
}

}  // namespace generate
