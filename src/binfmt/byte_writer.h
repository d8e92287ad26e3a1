// Appends numbers of either byte order to a string; shared by all file writers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace culprit::binfmt {

inline uint64_t RoundUp(uint64_t number, uint64_t unit) { return (number + unit - 1) / unit * unit; }

class ByteWriter {
 public:
  explicit ByteWriter(bool big_endian) : big_endian_(big_endian) {}

  size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

  void U8(uint64_t value) { Number(value, 1); }
  void U16(uint64_t value) { Number(value, 2); }
  void U32(uint64_t value) { Number(value, 4); }
  void U64(uint64_t value) { Number(value, 8); }
  void Number(uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      bytes_ += static_cast<char>(value >> 8 * (big_endian_ ? size - 1 - i : i));
    }
  }
  void Text(std::string_view text) { bytes_ += text; }
  void AlignTo(size_t alignment) {
    while (bytes_.size() % alignment != 0) bytes_ += '\0';
  }

 private:
  bool big_endian_;
  std::string bytes_;
};

// NUL-terminated strings, each written once; the first is the empty one.
class StringTable {
 public:
  uint32_t Add(std::string_view text) {
    const std::string ended = std::string(text) + '\0';
    size_t at = bytes_.find(ended);
    if (at == std::string::npos) {
      at = bytes_.size();
      bytes_ += ended;
    }
    return static_cast<uint32_t>(at);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
};

}  // namespace culprit::binfmt
