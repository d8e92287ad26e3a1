// Which package installed a file: pip (dist-info), conda (conda-meta), dpkg. The rpm database is binary and
// is not read, so on such a machine the owner of a system file is unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "snapshot/kinds.h"
#include "system/system.h"

namespace culprit::collect {

struct FoundOwner {
  snapshot::Owner owner;
  std::string record;  // the file that says so
};

// `word` is in the name of every package that may own the file: "cudnn". The symlinks in `path` are resolved.
FoundOwner FindOwner(const system::System& system, const std::string& path, std::string_view word);

// Whether a RECORD, whose paths are relative to `directory`, lists the file. In the dist-info folder of an
// unpacked toolkit the paths are those of the wheel, so only the name is compared.
bool RecordLists(std::string_view record, const std::string& directory, const std::string& path);

}  // namespace culprit::collect
