#include "binfmt/pe_word.h"

#include <algorithm>

#include "binfmt/pe_tables.h"

namespace culprit::binfmt {

// The names of a well-formed table are in the order of their bytes, which is what Windows relies on: it is
// searched by halves. A table that is not in order finds nothing, as there.
std::optional<uint32_t> ReadPeWord(const base::ByteSource& source, std::string_view symbol) {
  PeImage image(source);
  PeFile headers;
  PeLayout layout;
  if (ReadPeHeaders(image, headers, layout) != PeProblem::kNone) return std::nullopt;
  const PeRange directory = layout[PeDirectory::kExports];
  if (directory.rva == 0) return std::nullopt;
  const std::vector<uint32_t> head = image.Words(directory.rva, 10);
  if (head.size() < 10) return std::nullopt;
  const uint64_t function_table = head[7], name_table = head[8], number_table = head[9];
  uint32_t low = 0, high = std::min(head[6], kMaxPeExports);
  uint64_t budget = kMaxPeText * 32;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const auto at = image.U32(name_table + uint64_t{middle} * 4);
    const auto name = at ? image.Text(*at, budget) : std::nullopt;
    if (!name) return std::nullopt;
    if (*name < symbol) {
      low = middle + 1;
    } else if (*name > symbol) {
      high = middle;
    } else {
      const auto number = image.U16(number_table + uint64_t{middle} * 2);
      if (!number || *number >= head[5]) return std::nullopt;
      const auto address = image.U32(function_table + uint64_t{*number} * 4);
      if (!address || *address == 0) return std::nullopt;
      if (*address >= directory.rva && *address - directory.rva < directory.size) return std::nullopt;
      return image.U32(*address);
    }
  }
  return std::nullopt;
}

}  // namespace culprit::binfmt
