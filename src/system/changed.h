// A machine after a planned change: another machine with some files, symlinks, devices and variables
// replaced. Nothing is written; readers cannot tell it from a real one.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "system/system.h"

namespace culprit::system {

// What is at a path after the change.
struct ChangedNode {
  FileType type = FileType::kRegular;
  std::string bytes;   // of a regular file
  std::string target;  // of a link
  uint32_t mode = 0644;
  uint32_t group = 0;
};

struct SystemChanges {
  std::map<std::string, ChangedNode> put;  // by absolute path; missing directories above are there as well
  std::set<std::string> removed;           // with everything below, before anything is put
  std::map<std::string, uint32_t> modes;   // of files that stay
  std::map<std::string, std::string> variables;
  std::set<std::string> unset;
  std::map<std::string, RegistryKey> registry;  // values that are added or replaced
};

std::unique_ptr<System> ChangedSystem(std::shared_ptr<const System> before, SystemChanges changes);

}  // namespace culprit::system
