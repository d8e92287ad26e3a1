#include "render/knowledge/knowledge.h"

#include <fmt/format.h>

#include "base/json.h"
#include "render/document.h"
#include "render/edition.h"

namespace culprit::render {
namespace {

using base::Json;

Json EditionOf(const base::Edition& edition) {
  if (edition.date.empty()) return nullptr;
  return {{"date", edition.date}, {"culprit", edition.version}};
}

std::string FileText(const report::TablesFile& file) {
  const std::string path = base::Printable(file.path);
  switch (file.use) {
    case report::TablesUse::kUsed:
      return fmt::format("{}: used; from {}, written by culprit {}", path, base::Printable(file.edition.date),
                         base::Printable(file.edition.version));
    case report::TablesUse::kAbsent:
      return path + ": no such file";
    case report::TablesUse::kOlder:
      return fmt::format("{}: not newer, from {}", path, base::Printable(file.edition.date));
    case report::TablesUse::kRefused:
      break;
  }
  return path + ": not used: " + base::Printable(file.why);
}

}  // namespace

std::string ToText(const report::KnowledgeAnswer& answer, const Style& style, bool verbose) {
  std::string text =
      fmt::format("built in: tables from {}, culprit {}\n", answer.built_in.date, answer.built_in.version);
  if (!answer.files.empty()) text += "\n" + style.Bold("newer tables are looked for in") + "\n";
  for (const report::TablesFile& file : answer.files) text += "  " + FileText(file) + "\n";
  size_t rows = 0;
  for (const report::TableSize& table : answer.tables) rows += table.rows;
  text += "\n" + style.Bold(fmt::format("{} rows in {} tables", rows, answer.tables.size())) + "\n";
  if (!verbose) return text;
  for (const report::TableSize& table : answer.tables)
    text += fmt::format("  {:>6}  {}\n", table.rows, table.name);
  return text;
}

std::string ToJson(const report::KnowledgeAnswer& answer) {
  Json files = Json::array(), tables = Json::array();
  for (const report::TablesFile& file : answer.files) {
    files.push_back({{"path", file.path},
                     {"use", base::Word(file.use)},
                     {"edition", EditionOf(file.edition)},
                     {"why", file.why.empty() ? Json() : Json(file.why)}});
  }
  for (const report::TableSize& table : answer.tables)
    tables.push_back({{"name", table.name}, {"rows", table.rows}});
  return JsonDocument({{"schema", "culprit.knowledge/1"},
                       {"knowledge", EditionJson()},
                       {"built_in", EditionOf(answer.built_in)},
                       {"files", std::move(files)},
                       {"tables", std::move(tables)}});
}

}  // namespace culprit::render
