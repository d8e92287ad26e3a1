#include "rows.h"

#include "anchors.h"
#include "packing.h"

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

// "Role::kHint", not the literal of a text.
bool IsEnumerator(std::string_view code) { return code.find("::") < code.find('"'); }

std::string Key(const Field& field) { return "'" + std::string(field.name) + "'"; }

}  // namespace

std::string TextColumn(std::string_view name, std::string_view type, std::string_view member,
                       std::string_view kind) {
  return "    {.name = \"" + std::string(name) + "\", .kind = CellKind::" + std::string(kind) +
         ", .offset = offsetof(" + std::string(type) + ", " + std::string(member) + ")},\n";
}

std::string NumberColumn(std::string_view name, std::string_view type, std::string_view member,
                         std::string_view kind, std::string_view more) {
  const std::string place = std::string(type) + "::" + std::string(member);
  std::string column = TextColumn(name, type, member, kind);
  column.resize(column.size() - std::string_view("},\n").size());
  return column + ", .size = sizeof(" + place + "), .is_signed = std::is_signed_v<decltype(" + place + ")>" +
         std::string(more) + "},\n";
}

std::string RowsColumn(std::string_view name, std::string_view type, std::string_view member,
                       std::string_view of_type, std::string_view of, bool pointer) {
  const std::string row(type), other(of_type), field(member);
  const std::string held = "static_cast<const " + row + "*>(row)->" + field;
  const std::string first = "static_cast<const " + other + "*>(all)";
  const std::string at = pointer ? held : held + ".data()", none = pointer ? " == nullptr" : ".empty()";
  const std::string count = pointer ? "1" : held + ".size()";
  const std::string value =
      pointer ? "count == 0 ? nullptr : " + first + " + first" : "{" + first + " + first, count}";
  return "    {.name = \"" + std::string(name) + "\", .kind = CellKind::kRows, .of = &" + std::string(of) +
         ",\n     .rows = {[](const void* row, const void* all) -> std::pair<size_t, size_t> {\n       if (" +
         held + none + ") return {0, 0};\n       return {static_cast<size_t>(" + at + " - " + first + "), " +
         count + "};\n     },\n     [](void* row, const void* all, size_t first, size_t count) {\n       " +
         "static_cast<" + row + "*>(row)->" + field + " = " + value + ";\n     }}},\n";
}

std::string TableOf(const std::string& identifier, const std::string& name, const std::string& columns,
                    const std::string& rows, bool kept) {
  return "constinit Table " + identifier + "(\"" + name + "\", " + columns + ", " + rows +
         (kept ? ", true" : "") + ");\n\n";
}

std::string FileOf(std::string_view header, const std::string& tables, const std::string& functions,
                   std::string_view subject, const std::string& all) {
  return "// Generated from data/ by tools/generate_tables. Not to be edited.\n#include \"knowledge/" +
         std::string(header) +
         "\"\n\n#include <cstddef>\n#include <type_traits>\n\n#include "
         "\"knowledge/book/all_tables.h\"\n\nnamespace culprit::knowledge {\nnamespace {\n\n"
         "using namespace std::string_view_literals;\n\n" +
         tables + "}  // namespace\n\n" + functions + "\nvoid Add_" + std::string(subject) +
         "(std::vector<Table*>& all) {\n" + all + "}\n\n}  // namespace culprit::knowledge\n";
}

RowWriter::RowWriter(const Subject& subject, Errors& errors)
    : subject_(subject), errors_(errors), tables_(subject.tables.size()) {}

void RowWriter::Add(size_t index, Reader& row) {
  const Table& table = subject_.tables[index];
  packing_ = table.packed;
  std::string text, cells, key;  // key: the values that must be unique
  for (const Field& field : table.fields) {
    const auto [value, cell] = ValueOf(field, row);
    const std::string_view member = field.member.empty() ? field.name : field.member;
    if (!field.data_only) {
      text += "." + std::string(member) + " = " + value + ", ";
      cells += cell + "\t";
    }
    for (const std::string_view name : table.unique) {
      if (name != field.name) continue;
      key += (key.empty() ? "" : ", ") + std::string(name) + " = " + value;
      if (key.ends_with("\"sv")) key.resize(key.size() - 2);  // as the data file writes it
    }
  }
  if (!cells.empty()) cells.back() = '\n';
  tables_[index].text += table.packed ? cells : "    {" + text + "},\n";
  ++tables_[index].count;
  const auto [first, fresh] = tables_[index].keys.emplace(key, errors_.Place(row.line()));
  if (!fresh && !table.unique.empty()) errors_.Add(row.line(), key + " is already in " + first->second);
}

// All tables are compiled together.
std::string RowWriter::NameOf(size_t table, std::string_view kind) const {
  return std::string(kind) + std::string(subject_.name) + std::to_string(table);
}

RowWriter::Value RowWriter::ValueOf(const Field& field, Reader& reader) {
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
      return TextValue(text);
    }
    case Form::kNumber: {
      const int64_t number = reader.Number(field.name, field.required).value_or(0);
      if (number < 0 || number > UINT32_MAX) errors_.Add(line, Key(field) + " is out of range");
      return {std::to_string(number), std::to_string(number)};
    }
    case Form::kStatus: {
      const int64_t number = reader.Number(field.name, field.required).value_or(-1);
      if (number < -1 || number > INT32_MAX) errors_.Add(line, Key(field) + " is out of range");
      return {std::to_string(number), std::to_string(number)};
    }
    case Form::kWeight: {
      const int64_t number = reader.Number(field.name, field.required).value_or(0);
      if (number < -100 || number > 100) errors_.Add(line, Key(field) + " is out of range");
      return {std::to_string(number), std::to_string(number)};
    }
    case Form::kFlag: {
      const bool flag = reader.Flag(field.name, field.required);
      return {flag ? "true" : "false", flag ? "1" : "0"};
    }
    case Form::kTexts:
    case Form::kVersions:
    case Form::kCapabilities:
    case Form::kCode: {
      const Texts texts = reader.List(field.name, field.required);
      for (const std::string& text : texts) CheckForm(field, text, line);
      return field.data_only ? Value() : List(texts);
    }
    case Form::kWord:
      return Word(field, reader.Text(field.name, field.required), line);
    case Form::kPairs:
      return List(reader.Pairs(field.name));
    case Form::kAnchors:
      return List(Anchors(reader.List(field.name, false), reader));
  }
  return {};
}

RowWriter::Value RowWriter::TextValue(const std::string& text) const { return {Literal(text), Cell(text)}; }

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

RowWriter::Value RowWriter::Word(const Field& field, const std::string& text, int line) {
  for (size_t i = 0; i < field.words.size(); ++i) {
    const auto& [word, code] = field.words[i];
    if (word != text && !text.empty()) continue;
    if (!field.row_of.empty()) return {code, i == 0 ? "0+0" : std::to_string(i - 1) + "+1"};
    return {code, IsEnumerator(code) ? word : Cell(code.empty() ? "" : word)};
  }
  errors_.Add(line, Key(field) + " does not know the word " + Quote(text));
  return {};
}

void RowWriter::CheckForm(const Field& field, const std::string& text, int line) {
  const std::string_view what = WhatItIsNot(field.form, text);
  if (!what.empty()) {
    errors_.Add(line, Quote(text) + " in " + Key(field) + " is no " + std::string(what));
  }
}

RowWriter::Value RowWriter::List(const Texts& texts) {
  if (texts.empty()) return {"{}", ""};
  std::string body, cell;
  for (const std::string& text : texts) {
    body += Literal(text) + ", ";
    cell += (cell.empty() ? "" : kListSeparator) + Cell(text);
  }
  if (packing_) return {body, cell};
  const auto [at, fresh] = names_.emplace(body, NameOf(0) + "List" + std::to_string(names_.size()));
  if (fresh) lists_ += "constexpr std::string_view " + at->second + "[] = {" + body + "};\n";
  return {at->second, cell};
}

std::string RowWriter::ColumnOf(const Field& field, size_t table, std::string& words) const {
  const std::string_view member = field.member.empty() ? field.name : field.member;
  const std::string_view type = subject_.tables[table].type;
  switch (field.form) {
    case Form::kNumber:
    case Form::kStatus:
    case Form::kWeight:
    case Form::kFlag:
      return NumberColumn(field.name, type, member, "kNumber");
    case Form::kTexts:
    case Form::kVersions:
    case Form::kCapabilities:
    case Form::kCode:
    case Form::kPairs:
    case Form::kAnchors:
      return TextColumn(field.name, type, member, "kTexts");
    case Form::kWord:
      break;
    default:
      return TextColumn(field.name, type, member, "kText");
  }
  for (size_t i = 0; !field.row_of.empty() && i < table; ++i) {
    const Table& other = subject_.tables[i];
    if (other.key == field.row_of)
      return RowsColumn(field.name, type, member, other.type, NameOf(i, "t_"), true);
  }
  if (field.words.empty() || !IsEnumerator(field.words.back().second))
    return TextColumn(field.name, type, member, "kText");
  const std::string array = NameOf(table, "w_") + "_" + std::string(field.name);
  words += "constexpr CellWord " + array + "[] = {";
  for (const auto& [word, code] : field.words)
    words += "{\"" + word + "\"sv, static_cast<int64_t>(" + code + ")}, ";
  words += "};\n";
  return NumberColumn(field.name, type, member, "kWord", ", .words = " + array);
}

std::string RowWriter::Columns(size_t table) const {
  std::string words, columns;
  for (const Field& field : subject_.tables[table].fields) {
    if (!field.data_only) columns += ColumnOf(field, table, words);
  }
  return words + "constexpr Column " + NameOf(table, "c_") + "[] = {\n" + columns + "};\n";
}

std::string RowWriter::RowsOf(size_t table) const {
  const std::string type(subject_.tables[table].type), name = NameOf(table);
  if (!subject_.tables[table].packed)
    return "constexpr " + type + " " + name + "[] = {\n" + tables_[table].text + "};\n";
  return PackedArray(name, tables_[table].text);
}

std::string RowWriter::Text() const {
  if (errors_.any()) return "";
  std::string arrays, functions, all;
  for (size_t i = 0; i < tables_.size(); ++i) {
    const Table& table = subject_.tables[i];
    const std::string type(table.type), name = NameOf(i, "t_");
    const std::string rows = table.packed ? "PackedRows<" + type + ">{" + NameOf(i) + ", " +
                                                std::to_string(tables_[i].text.size()) + ", " +
                                                std::to_string(tables_[i].count) + "}"
                                          : "std::span<const " + type + ">(" + NameOf(i) + ")";
    arrays += RowsOf(i) + Columns(i) +
              TableOf(name, std::string(subject_.name) + "." + std::string(table.key), NameOf(i, "c_"), rows,
                      table.kept);
    functions += "std::span<const " + type + "> " + std::string(table.function) + "() { return " + name +
                 ".rows<" + type + ">(); }\n";
    all += "  all.push_back(&" + name + ");\n";
  }
  return FileOf(subject_.header, lists_ + "\n" + arrays, functions, subject_.name, all);
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
