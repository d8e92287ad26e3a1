// A TOML or YAML file as a tree of texts, each with its place: what the readers of files that people write
// share (projects, settings, hosts, policies, recipes).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace culprit::tree {

struct Node {
  enum class Kind { kText, kFlag, kOther, kList, kTable };
  Kind kind = Kind::kOther;
  std::string text;  // of a text; "true" or "false" of a flag
  size_t line = 0;
  size_t column = 0;                                    // of its first character; 0: not known
  std::vector<std::pair<std::string, Node>> members{};  // of a table, in the order of the file
  std::vector<Node> items{};                            // of a list

  bool IsText() const { return kind == Kind::kText; }
  bool IsList() const { return kind == Kind::kList; }
  bool IsTable() const { return kind == Kind::kTable; }
  // A member of a table; nullptr if there is none.
  const Node* Find(std::string_view name) const;
  // "tool.uv.sources": a table in a table. nullptr if one of them is missing.
  const Node* At(std::string_view path) const;
  // The text of a member; "" if it is none.
  std::string TextOf(std::string_view name) const;
};

// `file` is named in errors: "FILE:LINE:COLUMN: what is wrong".
base::Result<Node> ParseToml(std::string_view bytes, const std::string& file);
// YAML with one document. Every scalar is a text, as it is written ("0.5", "yes"); one without a value is
// kOther. Aliases and merge keys ("<<") are resolved; what grows too deep or too large is an error.
base::Result<Node> ParseYaml(std::string_view bytes, const std::string& file);
// The same with any number of documents; an empty one is left out.
base::Result<std::vector<Node>> ParseYamlDocuments(std::string_view bytes, const std::string& file);

}  // namespace culprit::tree
