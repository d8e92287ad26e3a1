// Decides what to keep of a file while reading a compressed layer: small files whole; of a library or program
// what its readers read; of other executables the first bytes; of anything else nothing. If too little of a
// file was kept, its layer must be read again, so files that are often read must be kept; but no answer
// depends on it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "binfmt/tar/tar.h"
#include "image/layer_contents.h"
#include "system/scratch_file.h"

namespace culprit::image {

class Keeper {
 public:
  Keeper(const KeepRules& rules, Spool& spool) : rules_(rules), spool_(spool) {}

  // Of the member that `reader` is at. Pieces are in order and do not overlap.
  base::Result<std::vector<KeptPiece>> Keep(binfmt::TarReader& reader, const binfmt::TarEntry& entry);
  // All of it, if there is room.
  base::Result<std::vector<KeptPiece>> KeepWhole(binfmt::TarReader& reader, const binfmt::TarEntry& entry);

 private:
  class Bytes;
  class Passing;
  base::Result<std::vector<KeptPiece>> KeepWhatIsRead(Bytes& bytes, const binfmt::TarEntry& entry,
                                                      const std::string& start);
  std::vector<KeptPiece> KeepStart(const binfmt::TarEntry& entry, std::string_view start);

  const KeepRules& rules_;
  Spool& spool_;
  std::string buffer_;
  std::unique_ptr<system::ScratchFile> scratch_;  // for one large file after another
};

}  // namespace culprit::image
