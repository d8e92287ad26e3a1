// Reads the rows of a flat data file according to its schema, and writes them as constant arrays. Equal lists
// are written once.
#include "rows.h"

#include <map>

#include "anchors.h"

namespace generate {
namespace {

constexpr std::string_view kPtxSuffix = "+PTX";
constexpr std::string_view kPtxOnly = "PTX ";

bool IsVersion(std::string_view text) { return !Numbers(text).empty(); }

// "2026-11-15"
bool IsDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto year = Numbers(text.substr(0, 4)), month = Numbers(text.substr(5, 2)),
             day = Numbers(text.substr(8));
  return year.size() == 1 && month.size() == 1 && day.size() == 1 && year[0] >= 2000 && month[0] >= 1 &&
         month[0] <= 12 && day[0] >= 1 && day[0] <= 31;
}

// "9.0", "9.0a", "10.0f"
bool IsCapability(std::string_view text) {
  if (text.ends_with('a') || text.ends_with('f')) text.remove_suffix(1);
  return Numbers(text).size() == 2;
}

bool IsCode(std::string_view text) {
  if (text.starts_with(kPtxOnly)) return IsCapability(text.substr(kPtxOnly.size()));
  if (text.ends_with(kPtxSuffix)) text.remove_suffix(kPtxSuffix.size());
  return IsCapability(text);
}

// "" if `text` has that form, otherwise what is wrong.
std::string_view WhatItIsNot(Form form, std::string_view text) {
  switch (form) {
    case Form::kVersion:
    case Form::kVersions:
      return IsVersion(text) ? "" : "version";
    case Form::kDate:
      return IsDate(text) ? "" : "day";
    case Form::kVersionOrNone:
      return text == "none" || IsVersion(text) ? "" : "version";
    case Form::kCapability:
    case Form::kCapabilities:
      return IsCapability(text) ? "" : "compute capability";
    case Form::kCode:
      return IsCode(text) ? "" : "GPU code";
    case Form::kText:
    case Form::kTexts:
    case Form::kNumber:
    case Form::kStatus:
    case Form::kWeight:
    case Form::kFlag:
    case Form::kWord:
    case Form::kPairs:
    case Form::kPattern:
    case Form::kAnchors:
      break;
  }
  return "";
}

class RowWriter {
 public:
  RowWriter(std::string prefix, Errors& errors) : prefix_(std::move(prefix)), errors_(errors) {}

  // One row as C++ code; `key` receives the values that must be unique.
  std::string Row(const Table& table, const toml::table& row, std::string& key) {
    Reader reader(row, errors_);
    std::string text = "    {";
    for (const Field& field : table.fields) {
      const std::string value = Value(field, reader, LineOf(row));
      if (!field.data_only) text += "." + std::string(field.name) + " = " + value + ", ";
      for (const std::string_view name : table.unique) {
        if (name != field.name) continue;
        key += (key.empty() ? "" : ", ") + std::string(name) + " = " + value;
        if (key.ends_with("\"sv")) key.resize(key.size() - 2);  // as the data file writes it
      }
    }
    reader.Finish();
    return text + "},\n";
  }

  const std::string& lists() const { return lists_; }

 private:
  std::string Value(const Field& field, Reader& reader, int line) {
    switch (field.form) {
      case Form::kText:
      case Form::kPattern:
      case Form::kVersion:
      case Form::kDate:
      case Form::kVersionOrNone:
      case Form::kCapability: {
        const std::string text = reader.Text(field.name, field.required);
        if (!text.empty()) CheckForm(field, text, line);
        return Literal(text);
      }
      case Form::kNumber: {
        const int64_t number = reader.Number(field.name, field.required).value_or(0);
        if (number < 0 || number > UINT32_MAX) errors_.Add(line, NameOf(field) + " is out of range");
        return std::to_string(number);
      }
      case Form::kStatus: {
        const int64_t number = reader.Number(field.name, field.required).value_or(-1);
        if (number < -1 || number > INT32_MAX) errors_.Add(line, NameOf(field) + " is out of range");
        return std::to_string(number);
      }
      case Form::kWeight: {
        const int64_t number = reader.Number(field.name, field.required).value_or(0);
        if (number < -100 || number > 100) errors_.Add(line, NameOf(field) + " is out of range");
        return std::to_string(number);
      }
      case Form::kFlag:
        return reader.Flag(field.name, field.required) ? "true" : "false";
      case Form::kTexts:
      case Form::kVersions:
      case Form::kCapabilities:
      case Form::kCode: {
        const Texts texts = reader.List(field.name, field.required);
        for (const std::string& text : texts) CheckForm(field, text, line);
        return field.data_only ? "" : List(texts);
      }
      case Form::kWord:
        return Word(field, reader.Text(field.name, field.required), line);
      case Form::kPairs:
        return List(reader.Pairs(field.name));
      case Form::kAnchors:
        return List(Anchors(reader.List(field.name, false), reader, line));
    }
    return "";
  }

  Texts Anchors(Texts given, Reader& reader, int line) {
    if (given.empty()) given = AnchorsOf(reader.Text("pattern", true));
    for (const std::string& anchor : given) {
      if (anchor.size() < kShortestAnchor) given.clear();
    }
    // Hints are used only in short texts and do not need them.
    if (given.empty() && reader.Text("role", false) != "hint") {
      errors_.Add(line, "the pattern has no literal of " + std::to_string(kShortestAnchor) +
                            " bytes that every match contains; name them in 'any'");
    }
    return given;
  }

  std::string Word(const Field& field, const std::string& text, int line) {
    if (text.empty()) return std::string(field.words.front().second);
    for (const auto& [word, code] : field.words) {
      if (word == text) return std::string(code);
    }
    errors_.Add(line, NameOf(field) + " does not know the word " + Quote(text));
    return "";
  }

  void CheckForm(const Field& field, const std::string& text, int line) {
    const std::string_view what = WhatItIsNot(field.form, text);
    if (!what.empty()) {
      errors_.Add(line, Quote(text) + " in " + NameOf(field) + " is no " + std::string(what));
    }
  }

  std::string List(const Texts& texts) {
    if (texts.empty()) return "{}";
    std::string body;
    for (const std::string& text : texts) body += Literal(text) + ", ";
    const auto [at, fresh] = names_.emplace(body, prefix_ + "List" + std::to_string(names_.size()));
    if (fresh) lists_ += "constexpr std::string_view " + at->second + "[] = {" + body + "};\n";
    return at->second;
  }

  static std::string NameOf(const Field& field) { return "'" + std::string(field.name) + "'"; }

  std::string prefix_;  // of identifiers
  Errors& errors_;
  std::map<std::string, std::string> names_;  // contents of a list -> its identifier
  std::string lists_;
};

}  // namespace

std::string Rows(const Subject& subject, const toml::table& root, const std::string& input, Errors& errors) {
  Reader reader(root, errors);
  const std::string prefix = "k_" + input.substr(0, input.find('.'));  // all tables are compiled together
  RowWriter writer(prefix, errors);
  std::string arrays, functions;
  for (size_t i = 0; i < subject.tables.size(); ++i) {
    const Table& table = subject.tables[i];
    const std::string name = prefix + std::to_string(i);
    const std::string type(table.type);
    std::map<std::string, int> keys;
    std::string rows;
    for (const toml::table* row : reader.Tables(table.key, true)) {
      std::string key;
      rows += writer.Row(table, *row, key);
      const auto [first, fresh] = keys.emplace(key, LineOf(*row));
      if (!fresh && !table.unique.empty()) {
        errors.Add(LineOf(*row), key + " stands already in line " + std::to_string(first->second));
      }
    }
    arrays += "constexpr " + type + " " + name + "[] = {\n" + rows + "};\n\n";
    functions +=
        "std::span<const " + type + "> " + std::string(table.function) + "() { return " + name + "; }\n";
  }
  reader.Finish();
  if (errors.any()) return "";
  return "// Generated from " + input +
         " by tools/generate_tables. Not to be edited.\n#include \"knowledge/" + std::string(subject.header) +
         "\"\n\nnamespace culprit::knowledge {\nnamespace {\n\nusing namespace "
         "std::string_view_literals;\n\n" +
         writer.lists() + "\n" + arrays + "}  // namespace\n\n" + functions +
         "\n}  // namespace culprit::knowledge\n";
}

}  // namespace generate
