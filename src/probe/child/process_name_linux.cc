// Names from /proc, which counts processes as this container does, and the driver as the whole machine does.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "probe/child/process_name.h"

namespace culprit::prober {
namespace {

// The kernel gives the first space of process numbers this inode (PROC_PID_INIT_INO).
bool InFirstPidSpace() {
  char link[64] = {};
  const ssize_t size = readlink("/proc/self/ns/pid", link, sizeof(link) - 1);
  return size > 0 && strcmp(link, "pid:[4026531836]") == 0;
}

bool HasDeviceOpen(const std::string& process) {
  DIR* files = opendir((process + "/fd").c_str());
  if (files == nullptr) return false;
  bool found = false;
  while (const dirent* entry = readdir(files)) {
    char target[64] = {};
    if (readlinkat(dirfd(files), entry->d_name, target, sizeof(target) - 1) <= 0) continue;
    if (strncmp(target, "/dev/nvidia", 11) == 0 || strcmp(target, "/dev/dxg") == 0) {
      found = true;
      break;
    }
  }
  closedir(files);
  return found;
}

}  // namespace

std::string ProcessName(uint64_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  if (!InFirstPidSpace() && !HasDeviceOpen(process)) return "";
  const int file = open((process + "/comm").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  char name[64] = {};
  const ssize_t size = read(file, name, sizeof(name) - 1);
  close(file);
  std::string text(name, size > 0 ? static_cast<size_t>(size) : 0);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

uint64_t OwnProcess() { return static_cast<uint64_t>(getpid()); }

}  // namespace culprit::prober
