#include "base/path_error.h"

#include <array>
#include <cerrno>

namespace culprit::base {
namespace {

struct Row {
  PathError error;
  std::string_view words;
  int number;
};

constexpr std::array kRows = {
    Row{PathError::kNone, "Success", 0},
    Row{PathError::kNoEntry, "No such file or directory", ENOENT},
    Row{PathError::kNotDirectory, "Not a directory", ENOTDIR},
    Row{PathError::kAccess, "Permission denied", EACCES},
    Row{PathError::kLoop, "Too many levels of symbolic links", ELOOP},
    Row{PathError::kNameTooLong, "File name too long", ENAMETOOLONG},
    Row{PathError::kOther, "Input/output error", EIO},
    Row{PathError::kNotRecorded, "not recorded in the snapshot", -1},
};

}  // namespace

std::string_view Strerror(PathError error) {
  for (const Row& row : kRows) {
    if (row.error == error) return row.words;
  }
  return "unknown";
}

PathError PathErrorFromErrno(int number) {
  if (number == EPERM) return PathError::kAccess;
  for (const Row& row : kRows) {
    if (row.number == number) return row.error;
  }
  return PathError::kOther;
}

}  // namespace culprit::base
