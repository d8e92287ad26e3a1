// File changes: by directory and name, never through a symlink; a new file is written next to the old one and
// renamed into place. Symlinks on the way to a directory are followed as in a process whose "/" is the root,
// so that nothing outside of a tree is touched.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_fwd.h"
#include "system/linux/descriptor.h"

namespace culprit::apply {

using system::Descriptor;

// "PATH: No such file or directory", by errno.
std::unexpected<base::Error> FailedAt(const std::string& path, int error);

// A place in the file system: an open directory and a name in it.
struct Spot {
  Descriptor directory;
  std::string name;
  std::string path;  // for messages
};
// `root`: "" = this machine. kNotFound when a directory on the way is missing.
base::Result<Spot> FindSpot(const std::string& root, const std::string& path);
// A directory itself.
base::Result<Descriptor> OpenDirectory(const std::string& root, const std::string& path);

// What is at a place.
struct Standing {
  enum class Kind { kAbsent, kFile, kLink, kDirectory, kSpecial };
  Kind kind = Kind::kAbsent;
  uint32_t mode = 0, user = 0, group = 0;
  int64_t seconds = 0, nanoseconds = 0;  // of its last change
  uint64_t device = 0, inode = 0, size = 0;
  std::string target;  // of a link
  std::string hash;    // of a file's bytes, where somebody asked for it
};
base::Result<Standing> LookAt(int directory, const std::string& name);
base::Json ToJson(const Standing& standing);
Standing StandingFromJson(const base::Json& json);
// The same thing: the same inode as it was, or the same bytes or target and the same mode.
bool Same(const Standing& recorded, int directory, const std::string& name);

constexpr uint64_t kTextLimit = uint64_t{4} << 20;
// A regular file, not through a link.
base::Result<std::string> ReadBytes(int directory, const std::string& name, uint64_t limit);
std::string HashOf(const std::string& bytes);
base::Result<std::string> HashOfFile(int directory, const std::string& name);

// New things under a name that is free. Files are on disk when it returns.
base::Result<void> WriteNew(int directory, const std::string& name, const std::string& bytes,
                            const Standing& like);
base::Result<void> LinkNew(int directory, const std::string& name, const Standing& like);
base::Result<void> CopyNew(int from, const std::string& old_name, int to, const std::string& name,
                           const Standing& like, std::string& hash);
// Gives owner and time of last change.
base::Result<void> GiveTimes(int directory, const std::string& name, const Standing& like);

// Both stand afterwards under the other's name: in one step, where the file system can. kUnsupported where it
// cannot.
base::Result<void> Exchange(int directory, const std::string& one, const std::string& other);
base::Result<void> Rename(int directory, const std::string& from, const std::string& to);
base::Result<void> ToDisk(int directory);  // the names in it
// A file, link or directory with everything below; nothing there is fine.
base::Result<void> RemoveAll(int directory, const std::string& name);

// "." and ".." are left out; sorted.
base::Result<std::vector<std::string>> NamesIn(int directory);
// Whether this process may put something else into the directory.
enum class Writable { kYes, kNeedsRoot, kReadOnly };
Writable MayChange(const Spot& spot);

}  // namespace culprit::apply
