// A directory of our own for files that are soon gone again.
#pragma once

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
};
// Below the place that the user's environment names for such things.
base::Result<std::unique_ptr<FreshDirectory>> MakeFreshDirectory();

}  // namespace culprit::system
