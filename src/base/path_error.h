// Why a path could not be opened. The loader models decide by it (some end a search, some do not), and it is
// recorded in snapshots, so it is ours and not the platform's errno.
#pragma once

#include <string_view>

namespace culprit::base {

enum class PathError {
  kNone,
  kNoEntry,       // ENOENT, a dangling link too
  kNotDirectory,  // ENOTDIR
  kAccess,        // EACCES, EPERM
  kLoop,          // ELOOP
  kNameTooLong,   // ENAMETOOLONG
  kOther,         // anything else: EIO, ESTALE ...
  kNotRecorded,   // a snapshot that does not know; never to be read as "missing"
};

// The words of strerror(), as loaders print them. kNone gives "Success".
std::string_view Strerror(PathError error);
// Stable names for JSON: "none", "no-entry" ... and back; an unknown name gives kOther.
std::string_view Name(PathError error);
PathError PathErrorFromName(std::string_view name);
PathError PathErrorFromErrno(int error);

}  // namespace culprit::base
