#include "knowledge/book/book.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/bytes/sha256.h"
#include "base/product_version.h"
#include "knowledge/book/all_tables.h"
#include "knowledge/packages/distributions.h"

namespace culprit::knowledge {
namespace {

using base::Edition;
using base::ErrorCode;
using base::Fail;
using base::Result;

constexpr std::string_view kTitle = "culprit-knowledge ";
constexpr std::string_view kFormat = "1";
constexpr std::string_view kDate = "date ", kVersion = "culprit ", kDigest = "sha256 ", kTable = "table ";

// Takes a line away from the front, without its end.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// What follows the word at the start of the next line; empty if the line starts with something else.
std::optional<std::string_view> TakeValue(std::string_view& text, std::string_view word) {
  const std::string_view line = TakeLine(text);
  if (!line.starts_with(word)) return std::nullopt;
  return line.substr(word.size());
}

// Of a file without the line that has it.
std::string DigestOf(std::string_view head, std::string_view tables) {
  base::Sha256 sha256;
  sha256.Add(std::as_bytes(std::span(head)));
  sha256.Add(std::as_bytes(std::span(tables)));
  return sha256.Hex();
}

// The whole file, and where the texts of its rows are; kept until the program ends.
struct Book {
  std::string bytes;
  CellStore store;
};

struct Opened {
  Edition edition;
  std::string_view tables;
};

Result<Opened> Open(std::string_view bytes) {
  std::string_view rest = bytes;
  const auto wrong = [](std::string why) { return Fail(ErrorCode::kBadFormat, std::move(why)); };
  const auto format = TakeValue(rest, kTitle);
  if (!format) return wrong("it is not a file of `culprit knowledge export`");
  if (*format != kFormat)
    return wrong("it has format " + std::string(*format) + "; this culprit reads " + std::string(kFormat));
  const auto date = TakeValue(rest, kDate);
  const auto version = TakeValue(rest, kVersion);
  const std::string_view head = bytes.substr(0, bytes.size() - rest.size());
  const auto digest = TakeValue(rest, kDigest);
  if (!date || !version || !digest) return wrong("its first lines are damaged");
  if (DigestOf(head, rest) != *digest)
    return wrong("its contents do not have the SHA-256 in its first lines: it is damaged");
  return Opened{{std::string(*date), std::string(*version), "", std::string(*digest)}, rest};
}

// The next table of the file, wherever its name leads.
struct NamedLines {
  std::string_view name;
  TableLines lines;
};
std::optional<NamedLines> TakeTable(std::string_view& rest) {
  const auto title = TakeValue(rest, kTable);
  if (!title) return std::nullopt;
  const size_t space = std::min(title->find(' '), title->size());
  const std::string_view number = title->substr(std::min(space + 1, title->size()));
  size_t rows = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rows);
  if (error != std::errc() || end != number.data() + number.size() || rows > rest.size()) return std::nullopt;
  NamedLines table{title->substr(0, space), {}};
  std::string_view columns = TakeLine(rest);
  while (true) {
    const size_t tab = columns.find('\t');
    table.lines.columns.push_back(columns.substr(0, tab));
    if (tab == std::string_view::npos) break;
    columns.remove_prefix(tab + 1);
  }
  table.lines.rows.reserve(rows);
  for (size_t i = 0; i < rows; ++i) {
    if (rest.empty()) return std::nullopt;
    table.lines.rows.push_back(TakeLine(rest));
  }
  return table;
}

Result<Edition> Read(Book& book) {
  auto opened = Open(book.bytes);
  if (!opened) return std::unexpected(opened.error());
  std::vector<Table*> missing = AllTables();
  for (std::string_view rest = opened->tables; !rest.empty();) {
    const auto table = TakeTable(rest);
    if (!table) return Fail(ErrorCode::kBadFormat, "its list of tables is damaged");
    const auto at = std::ranges::find(missing, table->name, &Table::name);
    if (at == missing.end()) continue;  // of a newer culprit
    const std::string wrong = (*at)->Read(table->lines, book.store);
    if (!wrong.empty())
      return Fail(ErrorCode::kBadFormat, "the table " + std::string(table->name) + ": " + wrong);
    missing.erase(at);
  }
  if (!missing.empty())
    return Fail(ErrorCode::kBadFormat, "it has no table " + std::string(missing.front()->name()));
  return opened->edition;
}

}  // namespace

std::vector<TableSize> TableSizes() {
  std::vector<TableSize> sizes;
  for (const Table* table : AllTables()) sizes.push_back({table->name(), table->size()});
  return sizes;
}

std::string WriteBook() {
  std::string tables;
  for (const Table* table : AllTables()) {
    tables += std::string(kTable) + std::string(table->name()) + " " + std::to_string(table->size()) + "\n";
    std::string columns;
    for (const Column& column : table->columns())
      columns += (columns.empty() ? "" : "\t") + std::string(column.name);
    tables += columns + "\n";
    table->Write(tables);
  }
  std::string head;
  for (const auto& [word, value] : {std::pair(kTitle, kFormat), std::pair(kDate, KnowledgeDate()),
                                    std::pair(kVersion, base::ProductVersion())})
    head += std::string(word) + std::string(value) + "\n";
  return head + std::string(kDigest) + DigestOf(head, tables) + "\n" + tables;
}

Result<Edition> CheckBook(std::string bytes) {
  const auto book = std::make_unique<Book>(Book{std::move(bytes), {}});
  return Read(*book);
}

Result<Edition> UseBook(std::string bytes) {
  static std::deque<Book>& in_use = *new std::deque<Book>;  // threads may read it while the program ends
  Book& book = in_use.emplace_back(Book{std::move(bytes), {}});
  Result<Edition> edition = Read(book);
  if (edition) {
    for (Table* table : AllTables()) table->Use();
  } else {
    in_use.pop_back();
  }
  return edition;
}

Edition TitleOf(std::string_view bytes) {
  if (TakeValue(bytes, kTitle) != kFormat) return {};
  const auto date = TakeValue(bytes, kDate), version = TakeValue(bytes, kVersion);
  if (!date || !version) return {};
  return {std::string(*date), std::string(*version), "", ""};
}

}  // namespace culprit::knowledge
