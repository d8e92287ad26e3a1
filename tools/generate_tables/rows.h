// A flat data file: lists of rows whose keys are in the schema.
#pragma once

#include <map>

#include "schema.h"
#include "toml_reader.h"

namespace generate {

// Reads rows according to the schema of their table, and writes them as constant arrays. Equal lists are
// written once.
class RowWriter {
 public:
  // Both must outlive it.
  RowWriter(const Subject& subject, Errors& errors);

  // Adds a row to that table of the subject. The caller finishes the reader.
  void Add(size_t table, Reader& row);
  // The identifier of its array.
  std::string NameOf(size_t table) const;
  // The text of the table file; empty if there were errors.
  std::string Text() const;

 private:
  struct Rows {
    std::string text;
    std::map<std::string, std::string> keys;  // -> place
  };

  std::string Value(const Field& field, Reader& reader);
  Texts Anchors(Texts given, Reader& reader);
  std::string Word(const Field& field, const std::string& text, int line);
  void CheckForm(const Field& field, const std::string& text, int line);
  std::string List(const Texts& texts);

  const Subject& subject_;
  Errors& errors_;
  std::vector<Rows> tables_;
  std::map<std::string, std::string> names_;  // contents of a list -> its identifier
  std::string lists_;
};

// The text of the table file; empty if there were errors.
std::string Rows(const Subject& subject, const toml::table& root, Errors& errors);

}  // namespace generate
