// Directories for temporary files that nobody else can change: libraries that go into the user's programs lie
// in them. One source per platform.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/error.h"

namespace culprit::system {

struct PrivateDirectory {
  std::filesystem::path path;
  std::shared_ptr<const void> in_use;  // while this lives, SweepLeftovers() leaves the directory alone
};
// Below `above`; the user's alone from its first moment.
base::Result<PrivateDirectory> MakePrivateDirectory(const std::filesystem::path& above);

// Whether nobody else can rename or replace what we make in `above`.
bool IsSafePlace(const std::filesystem::path& above);

// A new file for its owner alone. Fails if there is anything under that name, also a symlink.
bool WriteNewFile(const std::filesystem::path& file, std::string_view text);

// Removes the directories below `above` whose makers were killed, unless a process still needs one.
void SweepLeftovers(const std::filesystem::path& above);

}  // namespace culprit::system
