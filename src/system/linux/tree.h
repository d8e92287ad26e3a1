// What is below one directory, opened by descriptors: whatever is renamed or replaced by a link meanwhile,
// nothing outside of the directory is opened. The kernel resolves the path (openat2(2) with RESOLVE_IN_ROOT);
// where it cannot, or a sandbox forbids the call, a walk does: component by component from one open directory
// to the next, following links itself.
#pragma once

#include <string>

#include "system/host_files.h"
#include "system/linux/descriptor.h"
#include "system/system.h"

namespace culprit::system {

class Tree {
 public:
  Tree(Descriptor root, HostFiles::Resolve resolve) : root_(std::move(root)), resolve_(resolve) {}

  // Flags of open(2). With O_NOFOLLOW | O_PATH the last component may be a link, and is not followed.
  Outcome<Descriptor> Open(const std::string& path, int flags) const;

 private:
  Outcome<Descriptor> Walk(const std::string& path, int flags) const;

  Descriptor root_;
  HostFiles::Resolve resolve_;
};

// open(2), again when a signal comes in between.
Outcome<Descriptor> OpenAt(int directory, const char* path, int flags);
// Of a link that is open itself (path ""), or by name.
Outcome<std::string> ReadLinkAt(int directory, const char* path);

}  // namespace culprit::system
