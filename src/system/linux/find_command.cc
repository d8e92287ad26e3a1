// Which file a word on a command line starts: as execvp() and the shells look it up.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/text.h"
#include "system/terminal_child.h"

namespace culprit::system {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotStartable = 126;

// 0, or errno of why it cannot be started.
int Try(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

// An error of the disk or of memory may pass: execve() decides.
bool MayPass(int error) { return error == EIO || error == ENOMEM || error == EINTR || error == ETIMEDOUT; }

}  // namespace

FoundProgram FindCommand(const std::string& word) {
  if (word.find('/') != std::string::npos) {
    const int error = Try(word);
    if (error == 0 || MayPass(error)) return {word, 0, ""};
    const bool absent = error == ENOENT || error == ENOTDIR;
    return {"", absent ? kNotFound : kNotStartable, word + ": " + Words(error)};
  }
  if (word.empty()) return {"", kNotFound, "'': command not found"};
  const char* path = std::getenv("PATH");
  std::string forbidden;
  for (const std::string& directory : base::Split(path == nullptr ? "/bin:/usr/bin" : path, ':')) {
    const std::string candidate = directory.empty() ? "./" + word : base::JoinPath(directory, word);
    const int error = Try(candidate);
    if (error == 0) return {candidate, 0, ""};
    if (error == EACCES && forbidden.empty()) forbidden = candidate;
  }
  if (!forbidden.empty()) return {"", kNotStartable, forbidden + ": " + Words(EACCES)};
  return {"", kNotFound, word + ": command not found"};
}

}  // namespace culprit::system
