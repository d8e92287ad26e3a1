// What the rows of the flat data files may contain: which keys exist, which are required, and their form. The
// structs of src/knowledge/*.h have the same members in the same order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace generate {

enum class Form {
  kText,           // any text
  kVersion,        // "12.4.1"
  kDate,           // a day: "2026-11-15"
  kVersionOrNone,  // "9.1.0", "none"
  kCapability,     // "9.0", "10.0f"
  kNumber,         // a whole number, 0 to 2^32 - 1; absent = 0
  kStatus,         // a whole number, 0 to 2^31 - 1; absent = -1
  kWeight,         // a whole number, -100 to 100
  kFlag,           // true or false; absent = false
  kTexts,          // a list of texts
  kVersions,       // a list of versions
  kCapabilities,   // a list of capabilities
  kCode,           // a list of GPU code: "9.0" machine code, "9.0+PTX" both, "PTX 9.0" only PTX
  kWord,           // one of `words`
  kPairs,          // a table of texts or lists of texts, as a list of "key=value" and "key=one,other"
  kPattern,        // a regular expression of RE2
  kAnchors,  // literals, one of which is in every match of the row's pattern, `match`; absent = derived from
             // it
};

struct Field {
  std::string_view name;
  Form form = Form::kText;
  bool required = false;
  // For kWord: the words and the C++ value of each; the first is the default.
  std::vector<std::pair<std::string, std::string>> words = {};
  bool data_only = false;  // checked, but not part of the program: for people and tests that read the file
  std::string_view member = "";  // of the struct; "" = like the key
  std::string_view row_of = "";  // for kWord: the words name rows of the table with this key
};

struct Table {
  std::string_view key;       // [[key]]
  std::string_view type;      // struct of the rows
  std::string_view function;  // the function that returns them
  std::vector<Field> fields;
  std::vector<std::string_view>
      unique;         // no two rows have the same values in all of these; empty = rows may repeat
  bool kept = false;  // the program finds rows by their first key and relies on them: knowledge/book/table.h
  bool packed = false;  // large, and few commands need it: compressed until it is asked for
};

struct Subject {
  std::string_view name;    // data/NAME.toml, or what its files are about
  std::string_view header;  // src/knowledge/HEADER
  std::vector<Table> tables;
};

// nullptr if there is no such subject.
const Subject* FindSubject(std::string_view name);

}  // namespace generate
