// Why a path could not be opened. The loader models depend on it (some errors end a search, some do not), and
// snapshots record it, so it is our own type and not the platform's errno.
#pragma once

#include <string_view>

namespace culprit::base {

enum class PathError {
  kNone,
  kNoEntry,       // ENOENT, also a dangling symlink
  kNotDirectory,  // ENOTDIR
  kAccess,        // EACCES, EPERM
  kLoop,          // ELOOP
  kNameTooLong,   // ENAMETOOLONG
  kOther,         // anything else: EIO, ESTALE ...
  kNotRecorded,   // the snapshot does not say; never treat it as "missing"
};

// The text of strerror(), as loaders print it. kNone gives "Success".
std::string_view Strerror(PathError error);
// Stable names for JSON: "none", "no-entry" ... and back; an unknown name gives kOther.
std::string_view Name(PathError error);
PathError PathErrorFromName(std::string_view name);
PathError PathErrorFromErrno(int error);

}  // namespace culprit::base
