#include "cli/deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

#include "base/in_time.h"
#include "base/text.h"
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

// Whether a mounted file system may never answer. Yes if the list of mounts cannot be read.
bool MayWaitForEver() {
  constexpr uint64_t kLimit = 1 << 20;
  const auto mounts = system::ReadWholeFile(*system::RealSystem(), "/proc/self/mounts", kLimit);
  if (!mounts || mounts->empty()) return true;
  return std::ranges::any_of(base::SplitWords(*mounts, "\n"), [](const std::string& line) {
    const auto words = base::SplitWords(line, " ");
    if (words.size() < 3) return true;
    return words[1] != kUnread && std::ranges::find(kLocal, words[2]) == std::end(kLocal);
  });
}

}  // namespace

// A thread costs a third of the run time of a short `why`, so we start it only if needed.
void EndWithin(std::chrono::seconds limit) {
  if (!MayWaitForEver()) return;
  base::StartAside([limit] {
    std::this_thread::sleep_for(limit);
    fmt::print(stderr, "culprit: no answer within {} s; a file system may not be responding\n",
               limit.count());
    EndAtOnce(kExitCannot);
  });
}

}  // namespace culprit::cli
