// Which package brought a file: pip (dist-info), conda (conda-meta), dpkg. The database of rpm is a binary
// one that is not read, so a file of the system on such a machine has an owner that is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "system/system.h"

namespace culprit::collect {

struct Owner {
  std::string manager;  // "pip", "conda", "dpkg", "rpm" (name not known), "" nobody known
  std::string package;  // "libcudnn9-cuda-12", "nvidia-cudnn-cu12"
  std::string version;  // "9.14.0.64-1"
  std::string record;   // the file that says so

  std::string ToString() const;  // "dpkg libcudnn9-cuda-12 9.14.0.64-1"; "" nobody known
};

// `word` stands in the name of every package that may own the file: "cudnn". `path` has its links resolved.
Owner FindOwner(const system::System& system, const std::string& path, std::string_view word);

// Whether a RECORD, whose paths count from `directory`, lists the file. In a folder dist-info of an unpacked
// toolkit the paths are those of the wheel, and the name has to do.
bool RecordLists(std::string_view record, const std::string& directory, const std::string& path);

}  // namespace culprit::collect
