#include "base/path_error.h"

#include <array>
#include <cerrno>

namespace culprit::base {
namespace {

struct Row {
  PathError error;
  std::string_view name;
  std::string_view words;
  int number;
};

constexpr std::array kRows = {
    Row{PathError::kNone, "none", "Success", 0},
    Row{PathError::kNoEntry, "no-entry", "No such file or directory", ENOENT},
    Row{PathError::kNotDirectory, "not-directory", "Not a directory", ENOTDIR},
    Row{PathError::kAccess, "access", "Permission denied", EACCES},
    Row{PathError::kLoop, "loop", "Too many levels of symbolic links", ELOOP},
    Row{PathError::kNameTooLong, "name-too-long", "File name too long", ENAMETOOLONG},
    Row{PathError::kOther, "other", "Input/output error", EIO},
    Row{PathError::kNotRecorded, "not-recorded", "not recorded in the snapshot", -1},
};

}  // namespace

std::string_view Strerror(PathError error) {
  for (const Row& row : kRows) {
    if (row.error == error) return row.words;
  }
  return "unknown";
}

std::string_view Name(PathError error) {
  for (const Row& row : kRows) {
    if (row.error == error) return row.name;
  }
  return "other";
}

PathError PathErrorFromName(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.error;
  }
  return PathError::kOther;
}

PathError PathErrorFromErrno(int number) {
  if (number == EPERM) return PathError::kAccess;
  for (const Row& row : kRows) {
    if (row.number == number) return row.error;
  }
  return PathError::kOther;
}

}  // namespace culprit::base
