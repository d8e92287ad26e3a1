// Small files in one piece. The size that fstat() told is only a hint: files of /proc say 0, and a file may
// grow or shrink while it is read; so reading goes on to the end, and what is held never exceeds the limit by
// more than one piece.
#include <algorithm>

#include "system/system.h"

namespace culprit::system {

Outcome<std::string> ReadWholeFile(const System& system, const std::string& path, uint64_t limit) {
  const Outcome<OpenFile> file = system.Open(path);
  if (!file) return std::unexpected(file.error());
  if (!file->bytes || file->bytes->size() > limit) return std::unexpected(PathError::kOther);
  constexpr size_t kPiece = size_t{64} * 1024;
  std::string text;
  while (true) {
    const size_t had = text.size();
    text.resize(had + kPiece);
    const auto read = file->bytes->ReadAt(had, std::as_writable_bytes(std::span(text).subspan(had)));
    if (!read) return std::unexpected(PathError::kOther);
    text.resize(had + *read);
    if (text.size() > limit) return std::unexpected(PathError::kOther);
    if (*read < kPiece) return text;
  }
}

}  // namespace culprit::system
