// Why a path could not be opened. Some of these end a loader's search, some do not. Recorded in snapshots, so
// it cannot be the platform's errno.
#pragma once

#include <array>
#include <string_view>

namespace culprit::base {

enum class PathError {
  kNone,
  kNoEntry,       // ENOENT, also for a dangling symlink
  kNotDirectory,  // ENOTDIR
  kAccess,        // EACCES, EPERM
  kLoop,          // ELOOP
  kNameTooLong,   // ENAMETOOLONG
  kOther,         // anything else: EIO, ESTALE ...
  kNotRecorded,   // the snapshot does not know; does not mean "missing"
};

// The text of strerror(), as loaders print it. kNone gives "Success".
std::string_view Strerror(PathError error);
// Stable, for JSON.
constexpr std::array<std::string_view, 8> WordsOf(PathError) {
  return {"none", "no-entry", "not-directory", "access", "loop", "name-too-long", "other", "not-recorded"};
}
PathError PathErrorFromErrno(int error);

}  // namespace culprit::base
