// A directory for temporary files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace culprit::system {

// The user's alone. Removed with its contents when the object is destroyed; after a kill, by the next one
// that is made in the same place.
class FreshDirectory {
 public:
  virtual ~FreshDirectory() = default;
  virtual std::string path() const = 0;  // inside spelling
  // A new file; returns its path.
  virtual base::Result<std::string> Write(const std::string& name, std::string_view text) = 0;
  virtual void Leave(const std::string& name) = 0;  // keep this file: somebody may still need it
  virtual void LetPass() = 0;                       // other users may open files by name, but not list them
};
// In the user's directory for temporary files.
base::Result<std::unique_ptr<FreshDirectory>> MakeFreshDirectory();
// The same, or another directory if that one is mounted noexec, could be changed by other users, or has a ':'
// in its name (which separates the elements of a list of paths).
base::Result<std::unique_ptr<FreshDirectory>> MakeFreshDirectoryForPrograms();
// In memory, for files that many processes map and write. Fails if there is no such place, or if others would
// be left with less than `spare` bytes.
base::Result<std::unique_ptr<FreshDirectory>> MakeFreshDirectoryInMemory(uint64_t spare);

}  // namespace culprit::system
