// Small files in one piece. The size that fstat() told is only a hint: files of /proc say 0, and a file may
// grow or shrink while it is read; so reading goes on to the end, and what is held never exceeds the limit by
// more than one piece.
#include "system/system.h"

namespace culprit::system {

Outcome<std::string> ReadWholeFile(const System& system, const std::string& path, uint64_t limit) {
  const Outcome<OpenFile> file = system.Open(path);
  if (!file) return std::unexpected(file.error());
  const auto too_large = [&] {
    system.NoteUnread(path, base::Unread::kTooMuch);
    return std::unexpected(PathError::kOther);
  };
  if (!file->bytes) return std::unexpected(PathError::kOther);
  if (file->bytes->size() > limit) return too_large();
  constexpr size_t kPieceOfUnknown = size_t{64} * 1024;
  // One byte more than it should have: a file that is as long as it says is read at once.
  const size_t piece =
      file->bytes->size() == 0 ? kPieceOfUnknown : static_cast<size_t>(file->bytes->size()) + 1;
  std::string text;
  while (true) {
    const size_t had = text.size();
    bool failed = false;
    text.resize_and_overwrite(had + piece, [&](char* bytes, size_t) {
      const auto read = file->bytes->ReadAt(had, std::as_writable_bytes(std::span(bytes + had, piece)));
      failed = !read;
      return had + read.value_or(0);
    });
    if (failed) return std::unexpected(PathError::kOther);
    if (text.size() > limit) return too_large();
    if (text.size() - had < piece) return text;
  }
}

}  // namespace culprit::system
