// A tar archive, read once from front to back: ustar, GNU (long names, sparse files, binary numbers) and pax.
// https://www.gnu.org/software/tar/manual/html_node/Standard.html and "Storing Sparse Files" there; pax(1) of
// POSIX. Like Go's archive/tar, with which container tools read layers, links and devices have no data
// whatever their header says, and the archive may end without its two blocks of zeros.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes/byte_stream.h"

namespace culprit::binfmt {

enum class TarType { kFile, kDirectory, kSymlink, kHardLink, kOther /* FIFO, device */ };

// Stored bytes of a sparse file: where in the file they go.
struct TarExtent {
  uint64_t at = 0;
  uint64_t size = 0;
};

struct TarEntry {
  std::string path;  // as written: may be absolute, and climb with ".."
  std::string link;  // of a link: its target
  TarType type = TarType::kOther;
  uint64_t size = 0;  // of the file, with its holes
  uint32_t mode = 0;
  uint32_t group = 0;
  uint64_t data = 0;                                // where its stored bytes begin in the archive
  uint64_t stored = 0;                              // how many there are
  std::optional<std::vector<TarExtent>> extents{};  // of a sparse file; nullopt: stored bytes are the file
};

// Where a tar archive is read from.
class TarInput : public base::ByteStream {
 public:
  // Fewer bytes than that only at the end.
  virtual base::Result<uint64_t> Skip(uint64_t count) = 0;
};

class TarReader {
 public:
  // `input` must outlive the reader.
  explicit TarReader(TarInput& input) : input_(input) {}

  // The next member, whose data can then be read; nullopt at the end of the archive. An archive that stops in
  // the middle of a member is an error, and so is a header that is none.
  base::Result<std::optional<TarEntry>> Next();
  // Stored bytes of this member; 0 at their end.
  base::Result<size_t> Read(std::span<char> out);

 private:
  using Block = std::span<char, 512>;
  // What pax headers and GNU's long names say of the next member.
  struct Said {
    std::map<std::string, std::string> records;
    std::vector<TarExtent> map;  // GNU.sparse.offset and .numbytes, in order
    std::optional<std::string> path, link;
  };

  base::Result<size_t> ReadAll(std::span<char> out);
  base::Result<void> Pass(uint64_t count);
  base::Result<bool> ReadBlock(Block block);
  base::Result<std::string> ReadText(uint64_t size);
  base::Result<void> ReadPax(uint64_t size, Said& said);
  base::Result<std::optional<TarEntry>> Finish(Block block, uint64_t size, const Said& said);
  base::Result<void> ReadOldSparse(Block block, TarEntry& entry);
  base::Result<void> ReadSparse(const Said& said, TarEntry& entry);
  base::Result<std::vector<TarExtent>> ReadMapInData();

  TarInput& input_;
  uint64_t at_ = 0;       // bytes read so far
  uint64_t left_ = 0;     // of the data of this member
  uint64_t padding_ = 0;  // after them
  std::map<std::string, std::string> global_;
};

}  // namespace culprit::binfmt
