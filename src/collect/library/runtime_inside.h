// The CUDA release of a program or library that has the CUDA runtime linked into it.
#pragma once

#include <string>

#include "binfmt/gpu/runtime_names.h"
#include "knowledge/driver.h"
#include "snapshot/file_view.h"
#include "system/system.h"

namespace culprit::collect {

// `file` is what ReadElf or ReadPe gave. The file has no version; its `cuda` is the release of the runtime,
// or an older one if later releases brought no new name. Not applicable without a runtime inside.
template <typename File>
snapshot::Fact<snapshot::LibraryVersion> RuntimeInside(const system::System& system, const std::string& path,
                                                       const File& file) {
  using Version = snapshot::Fact<snapshot::LibraryVersion>;
  const auto opened = system.Open(path);
  if (!opened || !opened->bytes) return Version::NotApplicable("not a CUDA library");
  const knowledge::RuntimeRow* row = knowledge::RuntimeWith(binfmt::RuntimeNames(*opened->bytes, file));
  if (row == nullptr) return Version::NotApplicable("not a CUDA library");
  return Version::Of({"", std::string(row->cuda)}, "the CUDA runtime inside " + path + ", which has " +
                                                       std::string(row->name) + " (new in CUDA " +
                                                       std::string(row->cuda) + ")");
}

}  // namespace culprit::collect
