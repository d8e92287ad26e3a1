// By the mode of the file and its extended attributes.
#include "system/more_rights.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace culprit::system {

bool HasMoreRights(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) return true;
  // Without the right to execute for the group the bit means something else.
  if ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 && status.st_gid != getegid())
    return true;
  return geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace culprit::system
