#include "cli/deadline.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parallel/in_time.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/console.h"
#include "system/noted.h"
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

[[noreturn]] void EndWithoutAnswer(std::chrono::seconds limit, const std::vector<std::string>& waiting) {
  const std::string from = waiting.empty() ? "" : " from " + base::Printable(waiting.front());
  std::fprintf(stderr, "culprit: no answer within %lld s%s; a file system may not be responding\n",
               static_cast<long long>(limit.count()), from.c_str());
  EndAtOnce(kExitCannot);
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

struct Deadline::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::shared_ptr<const system::NotedSystem> machine;
};

Deadline::Deadline(std::chrono::seconds limit, Guard guard) {
  if (guard == Guard::kIfFilesMayWait && !MayWaitForEver()) return;
  state_ = std::make_shared<State>();
  base::TryAside([limit, state = state_] {
    const auto start = std::chrono::steady_clock::now();
    const auto step = std::chrono::milliseconds(limit) / 8;
    std::unique_lock lock(state->mutex);
    while (!state->changed.wait_for(lock, step, [&] { return state->over; })) {
      const auto waiting =
          state->machine == nullptr ? std::vector<std::string>() : state->machine->Waiting(limit);
      const bool late = state->machine == nullptr && std::chrono::steady_clock::now() - start >= limit;
      if (!waiting.empty() || late) EndWithoutAnswer(limit, waiting);
    }
  });
}

Deadline::~Deadline() {
  if (state_ == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  state_->over = true;
  state_->changed.notify_all();
}

std::shared_ptr<const system::System> Deadline::Watch(std::shared_ptr<const system::System> machine) {
  if (state_ == nullptr) return machine;
  const std::lock_guard lock(state_->mutex);
  state_->machine = std::make_shared<const system::NotedSystem>(std::move(machine));
  return state_->machine;
}

}  // namespace culprit::cli
