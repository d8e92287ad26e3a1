#include "cli/deadline.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

#include "base/in_time.h"
#include "cli/command.h"
#include "cli/console.h"
#include "system/system.h"

namespace culprit::cli {
namespace {

// File systems in memory or on a local disk. All others may wait for a server or a user program.
constexpr std::string_view kLocal[] = {
    "binfmt_misc", "bpf",        "btrfs",    "cgroup", "cgroup2", "configfs", "debugfs", "devpts",
    "devtmpfs",    "efivarfs",   "erofs",    "ext2",   "ext3",    "ext4",     "f2fs",    "fusectl",
    "hugetlbfs",   "iso9660",    "mqueue",   "nsfs",   "overlay", "proc",     "pstore",  "ramfs",
    "rootfs",      "securityfs", "squashfs", "sysfs",  "tmpfs",   "tracefs",  "vfat",    "xfs"};

// systemd mounts binfmt_misc on demand; culprit never reads it.
constexpr std::string_view kUnread = "/proc/sys/fs/binfmt_misc";

// Whether the file system of one line of /proc/self/mounts ("device place type ...") may never answer.
bool MayWait(std::string_view line) {
  const size_t place = line.find(' ');
  const size_t type = line.find(' ', place + 1);
  if (place == line.npos || type == line.npos) return true;
  if (line.substr(place + 1, type - place - 1) == kUnread) return false;
  const std::string_view name = line.substr(type + 1, line.find(' ', type + 1) - type - 1);
  return std::ranges::find(kLocal, name) == std::end(kLocal);
}

}  // namespace

bool MayWaitForEver() {
  constexpr uint64_t kLimit = 1 << 20;
  const auto mounts = system::ReadWholeFile(*system::RealSystem(), "/proc/self/mounts", kLimit);
  if (!mounts || mounts->empty()) return true;
  for (std::string_view rest = *mounts; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    if (end > 0 && MayWait(rest.substr(0, end))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// A thread costs a third of the run time of a short `why`, so we start it only if needed.
void EndWithin(std::chrono::seconds limit) {
  if (!MayWaitForEver()) return;
  base::TryAside([limit] {
    std::this_thread::sleep_for(limit);
    Say("culprit: no answer within {} s; a file system may not be responding\n", limit.count());
    EndAtOnce(kExitCannot);
  });
}

}  // namespace culprit::cli
