// The tables of src/knowledge: their rows are those that the build made from data/, or those of a newer file.
//
// In a file, a row is a line with cells between tabs. A list has its items between unit separators (0x1F); a
// tab, a line feed and a backslash inside a text are written \t, \n and \\. The generated tables describe
// where in the struct of a row each column is, so one piece of code writes and reads them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace culprit::knowledge {

enum class CellKind : uint8_t {
  kText,    // std::string_view
  kTexts,   // std::span<const std::string_view>
  kNumber,  // an integer or bool of `size` bytes
  kWord,    // an enum of `size` bytes
  kPlace,   // an integer: the place of a row in another table
  kRows,    // neighbours in another table, or a pointer to one row: "12+3", the first and how many
};

// A word of the data file, and the enumerator it stands for.
struct CellWord {
  std::string_view word;
  int64_t value;
};

class RowReader;
class Table;

// How a row holds rows of another table, whose first row is at `all`.
struct CellRows {
  std::pair<size_t, size_t> (*get)(const void* row, const void* all);
  void (*set)(void* row, const void* all, size_t first, size_t count);
};

struct Column {
  std::string_view name;
  CellKind kind;
  size_t offset = 0;
  size_t size = 0;
  bool is_signed = false;
  std::span<const CellWord> words = {};
  const Table* of = nullptr;
  CellRows rows = {};
};

// The lines of one table in a file.
struct TableLines {
  std::vector<std::string_view> columns;
  std::vector<std::string_view> rows;
};

// Texts of rows that could not stay where the file has them.
struct CellStore {
  std::deque<std::string> texts;
  std::deque<std::vector<std::string_view>> lists;
};

// The rows of a large table that few commands need: their lines, compressed by tools/generate_tables.
template <class Row>
struct PackedRows {
  std::span<const unsigned char> bytes;
  size_t text_size;
  size_t count;
};

class Table {
 public:
  // `kept`: the program looks rows up by their first column and relies on finding those it was built with.
  template <class Row>
  constexpr Table(std::string_view name, std::span<const Column> columns, std::span<const Row> built_in,
                  bool kept = false)
      : name_(name),
        columns_(columns),
        row_size_(sizeof(Row)),
        rows_(built_in.data()),
        size_(built_in.size()),
        kept_(kept) {}

  template <class Row>
  constexpr Table(std::string_view name, std::span<const Column> columns, PackedRows<Row> packed)
      : name_(name),
        columns_(columns),
        row_size_(sizeof(Row)),
        rows_(nullptr),
        size_(packed.count),
        kept_(false),
        packed_(packed.bytes),
        packed_size_(packed.text_size) {}

  template <class Row>
  std::span<const Row> rows() const {
    return {static_cast<const Row*>(first_row()), size_};
  }

  std::string_view name() const { return name_; }  // "drivers.toolkit"
  std::span<const Column> columns() const { return columns_; }
  size_t size() const { return size_; }

  void Write(std::string& out) const;
  // Reads rows without using them. Returns what is wrong with them; "" = nothing. The views of their texts
  // point into the lines or into the store.
  std::string Read(const TableLines& lines, CellStore& store);
  // From now on, and until the program ends, rows() are those that were read.
  void Use() { rows_ = read_, size_ = read_size_; }

 private:
  friend class RowReader;

  const void* first_row() const {
    if (!packed_.empty()) std::call_once(unpacking_, [this] { Unpack(); });
    return rows_;
  }
  // Does nothing if rows of a file are used.
  void Unpack() const;
  // Frees rows that were read and are not used.
  void Forget();
  std::string ReadRows(const TableLines& lines, CellStore& store);
  void WriteRow(const std::byte* row, std::string& out) const;
  // Whether each row of the program is also among those that were read; the first that is not.
  std::string_view FirstLost() const;

  std::string_view name_;
  std::span<const Column> columns_;
  size_t row_size_;
  mutable const void* rows_;
  size_t size_;
  const void* read_ = nullptr;
  size_t read_size_ = 0;
  bool kept_;
  std::span<const unsigned char> packed_;
  size_t packed_size_ = 0;
  mutable std::once_flag unpacking_;
  struct Unpacked;
  mutable const Unpacked* unpacked_ = nullptr;  // stays until the program ends, like rows that are used
};

}  // namespace culprit::knowledge
