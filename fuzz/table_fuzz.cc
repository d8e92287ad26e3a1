// Any lines as rows of a table with every kind of cell: an error or rows, and rows that are written again say
// the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "knowledge/book/table.h"

namespace {

using culprit::knowledge::CellKind;
using culprit::knowledge::CellStore;
using culprit::knowledge::CellWord;
using culprit::knowledge::Column;
using culprit::knowledge::Table;
using culprit::knowledge::TableLines;

enum class Color : uint8_t { kRed, kGreen };

struct Row {
  std::string_view text;
  std::span<const std::string_view> texts;
  uint16_t number;
  int32_t signed_number;
  bool flag;
  Color color;
  uint16_t place;
  std::span<const std::string_view> others;
  const std::string_view* other;
};

constexpr std::string_view kOthers[] = {"one", "two", "three"};
constexpr Column kOtherColumns[] = {{.name = "text", .kind = CellKind::kText, .offset = 0}};
Table others("others", kOtherColumns, std::span<const std::string_view>(kOthers));

constexpr CellWord kColors[] = {{"red", 0}, {"green", 1}};
constexpr Column kColumns[] = {
    {.name = "text", .kind = CellKind::kText, .offset = offsetof(Row, text)},
    {.name = "texts", .kind = CellKind::kTexts, .offset = offsetof(Row, texts)},
    {.name = "number", .kind = CellKind::kNumber, .offset = offsetof(Row, number), .size = 2},
    {.name = "signed",
     .kind = CellKind::kNumber,
     .offset = offsetof(Row, signed_number),
     .size = 4,
     .is_signed = true},
    {.name = "flag", .kind = CellKind::kNumber, .offset = offsetof(Row, flag), .size = 1},
    {.name = "color", .kind = CellKind::kWord, .offset = offsetof(Row, color), .size = 1, .words = kColors},
    {.name = "place", .kind = CellKind::kPlace, .offset = offsetof(Row, place), .size = 2, .of = &others},
    {.name = "others",
     .kind = CellKind::kRows,
     .of = &others,
     .rows = {[](const void* row, const void* all) -> std::pair<size_t, size_t> {
                const auto held = static_cast<const Row*>(row)->others;
                if (held.empty()) return {0, 0};
                return {static_cast<size_t>(held.data() - static_cast<const std::string_view*>(all)),
                        held.size()};
              },
              [](void* row, const void* all, size_t first, size_t count) {
                static_cast<Row*>(row)->others = {static_cast<const std::string_view*>(all) + first, count};
              }}}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  TableLines lines;
  for (const Column& column : kColumns) lines.columns.push_back(column.name);
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    lines.rows.push_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  static CellStore store_of_others;
  static const bool read = others.Read({{"text"}, {"one", "two", "three"}}, store_of_others).empty();
  static const bool used = (others.Use(), true);
  if (!read || !used) std::abort();
  Table table("rows", kColumns, std::span<const Row>());
  CellStore store;
  if (!table.Read(lines, store).empty()) return 0;
  table.Use();
  std::string once, twice;
  table.Write(once);
  for (const Row& row : table.rows<Row>()) {
    if (row.others.size() > std::size(kOthers) || row.place >= std::size(kOthers)) std::abort();
  }
  TableLines again{lines.columns, {}};
  for (std::string_view written = once; !written.empty(); written.remove_prefix(written.find('\n') + 1))
    again.rows.push_back(written.substr(0, written.find('\n')));
  CellStore other_store;
  Table other("rows", kColumns, std::span<const Row>());
  if (!other.Read(again, other_store).empty()) std::abort();
  other.Use();
  other.Write(twice);
  if (once != twice) std::abort();
  // A table keeps what it uses until the program ends.
  for (const Table* used_table : {&table, &other})
    delete[] reinterpret_cast<const std::byte*>(used_table->rows<Row>().data());
  return 0;
}
