// A directory of our own for files that are soon gone again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace culprit::system {

// Removed with all that is in it when it goes.
class FreshDirectory {
 public:
  virtual ~FreshDirectory() = default;
  virtual std::string path() const = 0;  // inside spelling
  virtual base::Result<std::string> Write(const std::string& name, std::string_view text) = 0;  // its path
  virtual void Leave(const std::string& name) = 0;  // this file stays: somebody may still need it
  virtual void LetPass() = 0;  // other users may open what they know the name of, not list it
};
// Below the place that the user's environment names for such things.
base::Result<std::unique_ptr<FreshDirectory>> MakeFreshDirectory();
// There, or in another such place if programs may not be run from there, or its name has a ':' (which stands
// between the elements of a list of paths).
base::Result<std::unique_ptr<FreshDirectory>> MakeFreshDirectoryForPrograms();
// In memory, for files that many processes map and write; an error where there is no such place, or not so
// much room in it that others would still have `spare` bytes.
base::Result<std::unique_ptr<FreshDirectory>> MakeFreshDirectoryInMemory(uint64_t spare);

}  // namespace culprit::system
