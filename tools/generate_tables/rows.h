// A flat data file: lists of rows whose keys are in the schema.
#pragma once

#include <map>

#include "schema.h"
#include "toml_reader.h"

namespace generate {

// One column of a table of such rows: knowledge/book/table.h.
std::string TextColumn(std::string_view name, std::string_view type, std::string_view member,
                       std::string_view kind);
std::string NumberColumn(std::string_view name, std::string_view type, std::string_view member,
                         std::string_view kind, std::string_view more = "");
// Rows of another table: a span of them, or a pointer to one.
std::string RowsColumn(std::string_view name, std::string_view type, std::string_view member,
                       std::string_view of_type, std::string_view of, bool pointer);

// `rows`: the span or the packed rows that it starts with.
std::string TableOf(const std::string& identifier, const std::string& name, const std::string& columns,
                    const std::string& rows, bool kept);

// A generated file: `tables` in an unnamed namespace, the functions that return their rows, and the one that
// adds them to the list of all.
std::string FileOf(std::string_view header, const std::string& tables, const std::string& functions,
                   std::string_view subject, const std::string& all);

// Reads rows according to the schema of their table, and writes them as constant arrays. Equal lists are
// written once.
class RowWriter {
 public:
  // Both must outlive it.
  RowWriter(const Subject& subject, Errors& errors);

  // Adds a row to that table of the subject. The caller finishes the reader.
  void Add(size_t table, Reader& row);
  // The identifier of its array, k_...; that of its columns is c_..., that of the table itself t_...
  std::string NameOf(size_t table, std::string_view kind = "k_") const;
  // The text of the table file; empty if there were errors.
  std::string Text() const;

 private:
  // A value as code of an array, and as a cell of a packed table.
  struct Value {
    std::string code;
    std::string cell;
  };
  struct Rows {
    std::string text;  // code, or the lines of a packed table
    size_t count = 0;
    std::map<std::string, std::string> keys;  // -> place
  };

  Value ValueOf(const Field& field, Reader& reader);
  Value TextValue(const std::string& text) const;
  Texts Anchors(Texts given, Reader& reader);
  Value Word(const Field& field, const std::string& text, int line);
  void CheckForm(const Field& field, const std::string& text, int line);
  Value List(const Texts& texts);
  std::string RowsOf(size_t table) const;
  std::string Columns(size_t table) const;
  std::string ColumnOf(const Field& field, size_t table, std::string& words) const;

  const Subject& subject_;
  Errors& errors_;
  std::vector<Rows> tables_;
  bool packing_ = false;                      // the table that a row is being added to is packed
  std::map<std::string, std::string> names_;  // contents of a list -> its identifier
  std::string lists_;
};

// The text of the table file; empty if there were errors.
std::string Rows(const Subject& subject, const toml::table& root, Errors& errors);

}  // namespace generate
