#include "packing.h"

#include <zstd.h>

#include <cstdlib>
#include <iostream>

namespace generate {

namespace {

constexpr int kSmallest = 19;  // how hard to try: a hundred kilobytes take a tenth of a second

}  // namespace

std::string Cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '\t' || c == '\n' || c == '\\') cell += '\\';
    cell += c == '\t' ? 't' : c == '\n' ? 'n' : c;
  }
  return cell;
}

std::string PackedArray(const std::string& name, const std::string& lines) {
  std::string bytes(ZSTD_compressBound(lines.size()), '\0');
  const size_t size = ZSTD_compress(bytes.data(), bytes.size(), lines.data(), lines.size(), kSmallest);
  if (ZSTD_isError(size) != 0) {
    std::cerr << "generate_tables: " << ZSTD_getErrorName(size) << "\n";
    std::exit(1);
  }
  std::string code = "constexpr unsigned char " + name + "[] = {";
  for (size_t i = 0; i < size; ++i) {
    if (i % 32 == 0) code += "\n    ";
    code += std::to_string(static_cast<unsigned char>(bytes[i])) + ",";
  }
  return code + "\n};\n";
}

}  // namespace generate
