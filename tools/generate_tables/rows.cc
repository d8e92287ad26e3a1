#include "rows.h"

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

std::string Key(const Field& field) { return "'" + std::string(field.name) + "'"; }

}  // namespace

RowWriter::RowWriter(const Subject& subject, Errors& errors)
    : subject_(subject), errors_(errors), tables_(subject.tables.size()) {}

void RowWriter::Add(size_t index, Reader& row) {
  const Table& table = subject_.tables[index];
  std::string text, key;  // key: the values that must be unique
  for (const Field& field : table.fields) {
    const std::string value = Value(field, row);
    const std::string_view member = field.member.empty() ? field.name : field.member;
    if (!field.data_only) text += "." + std::string(member) + " = " + value + ", ";
    for (const std::string_view name : table.unique) {
      if (name != field.name) continue;
      key += (key.empty() ? "" : ", ") + std::string(name) + " = " + value;
      if (key.ends_with("\"sv")) key.resize(key.size() - 2);  // as the data file writes it
    }
  }
  tables_[index].text += "    {" + text + "},\n";
  const auto [first, fresh] = tables_[index].keys.emplace(key, errors_.Place(row.line()));
  if (!fresh && !table.unique.empty()) errors_.Add(row.line(), key + " is already in " + first->second);
}

// All tables are compiled together.
std::string RowWriter::NameOf(size_t table) const {
  return "k_" + std::string(subject_.name) + std::to_string(table);
}

std::string RowWriter::Value(const Field& field, Reader& reader) {
  const int line = reader.line();
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
      if (number < 0 || number > UINT32_MAX) errors_.Add(line, Key(field) + " is out of range");
      return std::to_string(number);
    }
    case Form::kStatus: {
      const int64_t number = reader.Number(field.name, field.required).value_or(-1);
      if (number < -1 || number > INT32_MAX) errors_.Add(line, Key(field) + " is out of range");
      return std::to_string(number);
    }
    case Form::kWeight: {
      const int64_t number = reader.Number(field.name, field.required).value_or(0);
      if (number < -100 || number > 100) errors_.Add(line, Key(field) + " is out of range");
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
      return List(Anchors(reader.List(field.name, false), reader));
  }
  return "";
}

Texts RowWriter::Anchors(Texts given, Reader& reader) {
  if (given.empty()) given = AnchorsOf(reader.Text("match", true));
  for (const std::string& anchor : given) {
    if (anchor.size() < kShortestAnchor) given.clear();
  }
  // Hints are used only in short texts and do not need them.
  if (given.empty() && reader.Text("role", false) != "hint") {
    errors_.Add(reader.line(), "the pattern has no literal of " + std::to_string(kShortestAnchor) +
                                   " bytes that every match contains; name them in 'any'");
  }
  return given;
}

std::string RowWriter::Word(const Field& field, const std::string& text, int line) {
  if (text.empty()) return std::string(field.words.front().second);
  for (const auto& [word, code] : field.words) {
    if (word == text) return std::string(code);
  }
  errors_.Add(line, Key(field) + " does not know the word " + Quote(text));
  return "";
}

void RowWriter::CheckForm(const Field& field, const std::string& text, int line) {
  const std::string_view what = WhatItIsNot(field.form, text);
  if (!what.empty()) {
    errors_.Add(line, Quote(text) + " in " + Key(field) + " is no " + std::string(what));
  }
}

std::string RowWriter::List(const Texts& texts) {
  if (texts.empty()) return "{}";
  std::string body;
  for (const std::string& text : texts) body += Literal(text) + ", ";
  const auto [at, fresh] = names_.emplace(body, NameOf(0) + "List" + std::to_string(names_.size()));
  if (fresh) lists_ += "constexpr std::string_view " + at->second + "[] = {" + body + "};\n";
  return at->second;
}

std::string RowWriter::Text() const {
  if (errors_.any()) return "";
  std::string arrays, functions;
  for (size_t i = 0; i < tables_.size(); ++i) {
    const Table& table = subject_.tables[i];
    const std::string type(table.type);
    arrays += "constexpr " + type + " " + NameOf(i) + "[] = {\n" + tables_[i].text + "};\n\n";
    functions +=
        "std::span<const " + type + "> " + std::string(table.function) + "() { return " + NameOf(i) + "; }\n";
  }
  return "// Generated from data/ by tools/generate_tables. Not to be edited.\n#include \"knowledge/" +
         std::string(subject_.header) +
         "\"\n\nnamespace culprit::knowledge {\nnamespace {\n\nusing namespace "
         "std::string_view_literals;\n\n" +
         lists_ + "\n" + arrays + "}  // namespace\n\n" + functions +
         "\n}  // namespace culprit::knowledge\n";
}

std::string Rows(const Subject& subject, const toml::table& root, Errors& errors) {
  Reader reader(root, errors);
  RowWriter writer(subject, errors);
  for (size_t i = 0; i < subject.tables.size(); ++i) {
    for (const toml::table* row : reader.Tables(subject.tables[i].key, true)) {
      Reader row_reader(*row, errors);
      writer.Add(i, row_reader);
      row_reader.Finish();
    }
  }
  reader.Finish();
  return writer.Text();
}

}  // namespace generate
