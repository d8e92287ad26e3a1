// Which package brought a file: pip (dist-info), conda (conda-meta), dpkg. The database of rpm is a binary
// one that is not read, so a file of the system on such a machine has an owner that is not known.
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

// `word` stands in the name of every package that may own the file: "cudnn". `path` has its links resolved.
FoundOwner FindOwner(const system::System& system, const std::string& path, std::string_view word);

// Whether a RECORD, whose paths count from `directory`, lists the file. In a folder dist-info of an unpacked
// toolkit the paths are those of the wheel, and the name has to do.
bool RecordLists(std::string_view record, const std::string& directory, const std::string& path);

}  // namespace culprit::collect
