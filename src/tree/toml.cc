// TOML through toml++. The only file that includes it, because it takes seconds to compile.
#define TOML_ASSERT(expression) static_cast<void>(0)  // of a broken file; the error follows
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>

#include "base/text.h"
#include "tree/tree.h"

namespace culprit::tree {
namespace {

Node Converted(const toml::node& from) {
  Node to{.line = from.source().begin.line, .column = from.source().begin.column};
  if (const auto* table = from.as_table()) {
    to.kind = Node::Kind::kTable;
    for (const auto& [key, value] : *table) {
      Node member = Converted(value);
      if (member.line == 0 || !value.is_value()) {
        member.line = std::max<size_t>(key.source().begin.line, 1);
        member.column = std::max<size_t>(key.source().begin.column, 1);
      }
      to.members.emplace_back(std::string(key.str()), std::move(member));
    }
    // toml++ keeps tables by name; people by line.
    std::sort(to.members.begin(), to.members.end(),
              [](const auto& a, const auto& b) { return a.second.line < b.second.line; });
  } else if (const auto* list = from.as_array()) {
    to.kind = Node::Kind::kList;
    for (const toml::node& item : *list) to.items.push_back(Converted(item));
  } else if (const auto* text = from.as_string()) {
    to.kind = Node::Kind::kText;
    to.text = text->get();
  } else if (const auto* flag = from.as_boolean()) {
    to.kind = Node::Kind::kFlag;
    to.text = flag->get() ? "true" : "false";
  }
  return to;
}

}  // namespace

base::Result<Node> ParseToml(std::string_view bytes, const std::string& file) {
  const toml::parse_result parsed = toml::parse(bytes);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    const toml::source_position place = error.source().begin;
    return base::Fail(base::ErrorCode::kBadFormat, base::Printable(file) + ":" + std::to_string(place.line) +
                                                       ":" + std::to_string(place.column) + ": " +
                                                       base::Printable(error.description()));
  }
  return Converted(parsed.table());
}

}  // namespace culprit::tree
