#include "knowledge/book/table.h"

#include <zstd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>

namespace culprit::knowledge {

namespace {

constexpr char kListSeparator = '\x1f';

template <class Value>
Value ValueAt(const std::byte* row, const Column& column) {
  Value value;
  std::memcpy(&value, row + column.offset, sizeof value);
  return value;
}

template <class Value>
void SetValue(std::byte* row, const Column& column, const Value& value) {
  std::memcpy(row + column.offset, &value, sizeof value);
}

int64_t NumberAt(const std::byte* row, const Column& column) {
  switch (column.size) {
    case 1:
      return column.is_signed ? ValueAt<int8_t>(row, column) : ValueAt<uint8_t>(row, column);
    case 2:
      return column.is_signed ? ValueAt<int16_t>(row, column) : ValueAt<uint16_t>(row, column);
    default:
      return column.is_signed ? ValueAt<int32_t>(row, column) : int64_t{ValueAt<uint32_t>(row, column)};
  }
}

// False if the number does not fit.
bool SetNumber(std::byte* row, const Column& column, int64_t number) {
  const int bits = static_cast<int>(column.size) * 8 - (column.is_signed ? 1 : 0);
  const int64_t end = int64_t{1} << bits;
  if (number >= end || number < (column.is_signed ? -end : 0)) return false;
  switch (column.size) {
    case 1:
      SetValue(row, column, static_cast<uint8_t>(number));
      return true;
    case 2:
      SetValue(row, column, static_cast<uint16_t>(number));
      return true;
    default:
      SetValue(row, column, static_cast<uint32_t>(number));
      return true;
  }
}

void WriteText(std::string_view text, std::string& out) {
  for (const char c : text) {
    switch (c) {
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        out += c;
    }
  }
}

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The text in a cell; empty if a backslash in it means nothing.
std::optional<std::string_view> ParseText(std::string_view cell, CellStore& store) {
  size_t at = cell.find('\\');
  if (at == std::string_view::npos) return cell;
  std::string& text = store.texts.emplace_back(cell.substr(0, at));
  for (; at < cell.size(); ++at) {
    if (cell[at] != '\\') {
      text += cell[at];
      continue;
    }
    const char next = ++at < cell.size() ? cell[at] : '\0';
    if (next != 't' && next != 'n' && next != '\\') return std::nullopt;
    text += next == 't' ? '\t' : next == 'n' ? '\n' : next;
  }
  return text;
}

std::optional<std::span<const std::string_view>> ParseTexts(std::string_view cell, CellStore& store) {
  if (cell.empty()) return std::span<const std::string_view>();
  std::vector<std::string_view>& list = store.lists.emplace_back();
  while (true) {
    const size_t end = cell.find(kListSeparator);
    const auto text = ParseText(cell.substr(0, end), store);
    if (!text) return std::nullopt;
    list.push_back(*text);
    if (end == std::string_view::npos) return list;
    cell.remove_prefix(end + 1);
  }
}

// The cells of a line; false if they are not as many as there is room for.
bool Split(std::string_view line, std::span<std::string_view> cells) {
  for (size_t i = 0; i < cells.size(); ++i) {
    const size_t tab = line.find('\t');
    if ((tab == std::string_view::npos) != (i + 1 == cells.size())) return false;
    cells[i] = line.substr(0, tab);
    line.remove_prefix(std::min(tab, line.size() - 1) + 1);
  }
  return true;
}

}  // namespace

// Reads one cell after another into a row.
class RowReader {
 public:
  // Rows of other tables are those that were read from the same file, or those of the program.
  enum class From { kFile, kProgram };
  RowReader(std::byte* row, CellStore& store, From from) : row_(row), store_(store), from_(from) {}

  // False if the cell does not have the form of its column.
  bool Read(const Column& column, std::string_view cell) {
    switch (column.kind) {
      case CellKind::kText:
        return Set(column, ParseText(cell, store_));
      case CellKind::kTexts:
        return Set(column, ParseTexts(cell, store_));
      case CellKind::kNumber: {
        const auto number = ParseNumber(cell);
        return number && SetNumber(row_, column, *number);
      }
      case CellKind::kWord: {
        const auto at = std::ranges::find(column.words, cell, &CellWord::word);
        return at != column.words.end() && SetNumber(row_, column, at->value);
      }
      case CellKind::kPlace: {
        const auto number = ParseNumber(cell);
        return number && *number >= 0 && std::cmp_less(*number, SizeOf(*column.of)) &&
               SetNumber(row_, column, *number);
      }
      case CellKind::kRows:
        break;
    }
    const size_t plus = std::min(cell.find('+'), cell.size());
    const auto first = ParseNumber(cell.substr(0, plus)),
               count = ParseNumber(cell.substr(std::min(plus + 1, cell.size())));
    const auto size = static_cast<int64_t>(SizeOf(*column.of));
    if (!first || !count || *first < 0 || *count < 0 || *count > size || *first > size - *count) return false;
    const void* const all = from_ == From::kFile ? column.of->read_ : column.of->first_row();
    column.rows.set(row_, all, static_cast<size_t>(*first), static_cast<size_t>(*count));
    return true;
  }

 private:
  template <class Value>
  bool Set(const Column& column, const std::optional<Value>& value) {
    if (value) SetValue(row_, column, *value);
    return value.has_value();
  }

  size_t SizeOf(const Table& table) const { return from_ == From::kFile ? table.read_size_ : table.size_; }

  std::byte* row_;
  CellStore& store_;
  From from_;
};

void Table::WriteRow(const std::byte* row, std::string& out) const {
  for (const Column& column : columns_) {
    if (&column != columns_.data()) out += '\t';
    switch (column.kind) {
      case CellKind::kText:
        WriteText(ValueAt<std::string_view>(row, column), out);
        break;
      case CellKind::kTexts: {
        const auto texts = ValueAt<std::span<const std::string_view>>(row, column);
        for (size_t i = 0; i < texts.size(); ++i) {
          if (i > 0) out += kListSeparator;
          WriteText(texts[i], out);
        }
        break;
      }
      case CellKind::kNumber:
      case CellKind::kPlace:
        out += std::to_string(NumberAt(row, column));
        break;
      case CellKind::kWord:
        out += std::ranges::find(column.words, NumberAt(row, column), &CellWord::value)->word;
        break;
      case CellKind::kRows: {
        const auto [first, count] = column.rows.get(row, column.of->first_row());
        out += std::to_string(first) + "+" + std::to_string(count);
        break;
      }
    }
  }
}

void Table::Write(std::string& out) const {
  for (size_t i = 0; i < size_; ++i) {
    WriteRow(static_cast<const std::byte*>(first_row()) + i * row_size_, out);
    out += '\n';
  }
}

std::string_view Table::FirstLost() const {
  std::set<std::string_view> keys;
  const auto key_at = [&](const void* rows, size_t i) {
    return ValueAt<std::string_view>(static_cast<const std::byte*>(rows) + i * row_size_, columns_.front());
  };
  for (size_t i = 0; i < read_size_; ++i) keys.insert(key_at(read_, i));
  for (size_t i = 0; i < size_; ++i) {
    if (!keys.contains(key_at(rows_, i))) return key_at(rows_, i);
  }
  return "";
}

void Table::Forget() {
  if (read_ != rows_) delete[] static_cast<const std::byte*>(read_);
  read_ = nullptr;
  read_size_ = 0;
}

std::string Table::Read(const TableLines& lines, CellStore& store) {
  Forget();
  std::string wrong = ReadRows(lines, store);
  if (!wrong.empty()) Forget();
  return wrong;
}

std::string Table::ReadRows(const TableLines& lines, CellStore& store) {
  std::vector<size_t> places;
  for (const Column& column : columns_) {
    const auto at = std::ranges::find(lines.columns, column.name);
    if (at == lines.columns.end()) return "it has no column " + std::string(column.name);
    places.push_back(static_cast<size_t>(at - lines.columns.begin()));
  }
  read_size_ = lines.rows.size();
  if (read_size_ == 0 && size_ > 0) return "it is empty";
  auto* const rows = new std::byte[read_size_ * row_size_]();
  read_ = rows;
  std::vector<std::string_view> cells(lines.columns.size());
  for (size_t i = 0; i < read_size_; ++i) {
    RowReader reader(rows + i * row_size_, store, RowReader::From::kFile);
    bool good = Split(lines.rows[i], cells);
    for (size_t c = 0; good && c < places.size(); ++c) good = reader.Read(columns_[c], cells[places[c]]);
    if (!good) return "its row " + std::to_string(i + 1) + " cannot be read";
  }
  const std::string_view lost = kept_ ? FirstLost() : "";
  return lost.empty() ? "" : "it has no row " + std::string(lost);
}

// What the rows of a packed table point into.
struct Table::Unpacked {
  std::string text;
  CellStore store;
  std::vector<std::byte> rows;
};

// The lines come from our own generator: what cannot be read would be an error of the build, and tests read
// all.
void Table::Unpack() const {
  if (rows_ != nullptr) return;
  auto* const to =
      new Unpacked{std::string(packed_size_, '\0'), {}, std::vector<std::byte>(size_ * row_size_)};
  unpacked_ = to;
  if (ZSTD_decompress(to->text.data(), packed_size_, packed_.data(), packed_.size()) != packed_size_)
    std::abort();
  std::vector<std::string_view> cells(columns_.size());
  std::string_view rest = to->text;
  for (size_t i = 0; i < size_; ++i) {
    const size_t end = rest.find('\n');
    RowReader reader(to->rows.data() + i * row_size_, to->store, RowReader::From::kProgram);
    bool good = Split(rest.substr(0, end), cells);
    for (size_t c = 0; good && c < cells.size(); ++c) good = reader.Read(columns_[c], cells[c]);
    if (!good) std::abort();
    rest.remove_prefix(end + 1);
  }
  rows_ = to->rows.data();
}

}  // namespace culprit::knowledge
