// Files, links and modes: one thing at one place. What stood there is in the journal (a directory: beside it,
// under a name of ours), the new one is made beside it, and one rename changes them.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "change/apply/steps.h"

namespace culprit::apply {
namespace {

using base::ErrorCode;
using base::Fail;
using Kind = Standing::Kind;

Standing Wanted(const Intent& intent, const Standing& before) {
  Standing after;
  if (intent.kind == Intent::Kind::kRemove) return after;
  after.kind = intent.kind == Intent::Kind::kLink ? Kind::kLink : Kind::kFile;
  after.target = intent.target;
  if (after.kind == Kind::kLink) return after;
  const bool replaces = before.kind == Kind::kFile;
  after.mode = replaces ? before.mode : intent.mode;
  after.user = replaces ? before.user : static_cast<uint32_t>(-1);  // as the system gives it
  after.group = replaces ? before.group : static_cast<uint32_t>(-1);
  after.size = intent.bytes.size();
  after.hash = HashOf(intent.bytes);
  return after;
}

base::Result<void> Carry(const Spot& spot, const Intent& intent, const Step& step) {
  const int here = spot.directory.get();
  if (step.after.kind == Kind::kAbsent) {
    if (step.before.kind == Kind::kDirectory) return Rename(here, spot.name, step.temporary);
    if (unlinkat(here, spot.name.c_str(), 0) != 0) return FailedAt(spot.path, errno);
    return {};
  }
  auto made = step.after.kind == Kind::kLink ? LinkNew(here, step.temporary, step.after)
                                             : WriteNew(here, step.temporary, intent.bytes, step.after);
  if (!made) return made;
  return step.before.kind == Kind::kDirectory ? Exchange(here, step.temporary, spot.name)
                                              : Rename(here, step.temporary, spot.name);
}

// The directory was put aside as `temporary`, or never was.
base::Result<void> RestoreDirectory(const Spot& spot, const Step& step) {
  const int here = spot.directory.get();
  if (Same(step.before, here, step.temporary)) {
    const auto now = LookAt(here, spot.name);
    if (!now) return std::unexpected(now.error());
    auto back = now->kind == Kind::kAbsent ? Rename(here, step.temporary, spot.name)
                                           : Exchange(here, step.temporary, spot.name);
    if (!back) return back;
  }
  if (!Same(step.before, here, spot.name))
    return Fail(ErrorCode::kNotFound, spot.path + ": the backup of the old directory is gone");
  return RemoveAll(here, step.temporary);
}

base::Result<void> SetModeAt(const Spot& spot, uint32_t mode) {
  const Descriptor file(openat(spot.directory.get(), spot.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat status = {};
  if (!file || fstat(file.get(), &status) != 0) return FailedAt(spot.path, errno);
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return Fail(ErrorCode::kUnsupported, spot.path + ": neither a file nor a directory");
  // By the number of the open file: the name may be another's by now, and fchmod() refuses O_PATH.
  if (chmod(("/proc/self/fd/" + std::to_string(file.get())).c_str(), mode) != 0)
    return FailedAt(spot.path, errno);
  return {};
}

}  // namespace

std::string RootOf(bool outside, const Place& place) { return outside ? "" : place.root; }

base::Result<std::string> HashOfNames(int directory) {
  const auto names = NamesIn(directory);
  if (!names) return std::unexpected(names.error());
  std::string all;
  for (const std::string& name : *names) {
    if (!name.starts_with(".culprit-")) all += name + '\0';
  }
  return HashOf(all);
}

base::Result<Step> Work::NewStep(StepKind kind, const Intent& intent, const Spot& spot) const {
  const auto parent = LookAt(spot.directory.get(), ".");
  if (!parent) return std::unexpected(parent.error());
  const auto names = HashOfNames(spot.directory.get());
  if (!names) return std::unexpected(names.error());
  Step step;
  step.number = steps.size() + 1;
  step.kind = kind;
  step.text = intent.text;
  step.outside = intent.outside;
  step.path = intent.path;
  step.temporary = ".culprit-" + journal.id() + "-" + std::to_string(step.number);
  step.parent = *parent;
  step.names = *names;
  return step;
}

base::Result<void> Work::Announce(const Step& step) {
  steps.push_back(step);
  return journal.Write(step);
}

base::Result<void> Work::Done(Step& step) {
  step.done = true;
  steps.back() = step;
  return journal.Write("done", step);
}

base::Result<bool> Put(Work& work, const Intent& intent) {
  const auto spot = FindSpot(RootOf(intent.outside, work.place), intent.path);
  if (!spot) return std::unexpected(spot.error());
  const int here = spot->directory.get();
  auto before = LookAt(here, spot->name);
  if (!before) return std::unexpected(before.error());
  if (before->kind == Kind::kSpecial)
    return Fail(ErrorCode::kUnsupported, intent.path + ": a device, pipe or socket");
  const Standing after = Wanted(intent, *before);
  if (Same(after, here, spot->name)) return false;
  auto made = work.NewStep(StepKind::kPut, intent, *spot);
  if (!made) return std::unexpected(made.error());
  Step& step = *made;
  if (auto kept = work.journal.Keep(*spot, std::to_string(step.number), *before); !kept)
    return std::unexpected(kept.error());
  step.before = *before;
  step.after = after;
  if (auto said = work.Announce(step); !said) return std::unexpected(said.error());
  if (auto carried = Carry(*spot, intent, step); !carried) return std::unexpected(carried.error());
  if (auto safe = ToDisk(here); !safe) return std::unexpected(safe.error());
  if (auto done = work.Done(step); !done) return std::unexpected(done.error());
  return true;
}

base::Result<bool> ChangeMode(Work& work, const Intent& intent) {
  const auto spot = FindSpot(RootOf(intent.outside, work.place), intent.path);
  if (!spot) return std::unexpected(spot.error());
  const auto before = LookAt(spot->directory.get(), spot->name);
  if (!before) return std::unexpected(before.error());
  if (before->mode == intent.mode) return false;
  auto made = work.NewStep(StepKind::kMode, intent, *spot);
  if (!made) return std::unexpected(made.error());
  Step& step = *made;
  step.before = step.after = *before;
  step.after.mode = intent.mode;
  if (auto said = work.Announce(step); !said) return std::unexpected(said.error());
  if (auto set = SetModeAt(*spot, intent.mode); !set) return std::unexpected(set.error());
  if (auto done = work.Done(step); !done) return std::unexpected(done.error());
  return true;
}

base::Result<void> Restore(const Spot& spot, const Standing& before, const Journal& journal,
                           const std::string& kept, const std::string& temporary) {
  const int here = spot.directory.get();
  if (Same(before, here, spot.name)) return RemoveAll(here, temporary);
  if (auto gone = RemoveAll(here, temporary); !gone) return gone;  // of a run that was killed
  if (before.kind == Kind::kAbsent) {
    if (unlinkat(here, spot.name.c_str(), 0) != 0 && errno != ENOENT) return FailedAt(spot.path, errno);
    return ToDisk(here);
  }
  if (before.kind == Kind::kLink) {
    if (auto made = LinkNew(here, temporary, before); !made) return made;
    if (auto timed = GiveTimes(here, temporary, before); !timed) return timed;
  } else {
    const auto saved = LookAt(journal.old(), kept);
    if (!saved || saved->kind != Kind::kFile)
      return Fail(ErrorCode::kNotFound,
                  journal.folder() + "/old/" + kept + ": the backup of " + spot.path + " is gone");
    const bool itself = saved->device == before.device && saved->inode == before.inode;
    if (itself && !before.hash.empty() && HashOfFile(journal.old(), kept).value_or("") != before.hash)
      return Fail(ErrorCode::kBadFormat, journal.folder() + "/old/" + kept + ": the backup was changed");
    if (!itself || linkat(journal.old(), kept.c_str(), here, temporary.c_str(), 0) != 0) {
      std::string hash;
      if (auto made = CopyNew(journal.old(), kept, here, temporary, before, hash); !made) return made;
      if (!before.hash.empty() && hash != before.hash)
        return Fail(ErrorCode::kBadFormat, journal.folder() + "/old/" + kept + ": the backup was changed");
    }
    if (auto timed = GiveTimes(here, temporary, before); !timed) return timed;
  }
  if (auto back = Rename(here, temporary, spot.name); !back) return back;
  return ToDisk(here);
}

base::Result<void> TakeBack(const Step& step, const Place& place, const Journal& journal) {
  if (step.kind == StepKind::kCache) return TakeBackCache(step, place, journal);
  if (step.kind == StepKind::kSwap) return TakeBackPackages(step);
  const auto spot = FindSpot(RootOf(step.outside, place), step.path);
  if (!spot) return std::unexpected(spot.error());
  if (step.kind == StepKind::kMode) return SetModeAt(*spot, step.before.mode);
  if (step.before.kind == Kind::kDirectory) return RestoreDirectory(*spot, step);
  return Restore(*spot, step.before, journal, std::to_string(step.number), step.temporary);
}

bool ChangedSince(const Step& step, const Place& place) {
  const auto spot = FindSpot(RootOf(step.outside, place), step.path);
  if (!spot) return true;
  if (step.kind == StepKind::kMode) {
    const auto now = LookAt(spot->directory.get(), spot->name);
    return !now || now->kind != step.before.kind ||
           (now->mode != step.before.mode && now->mode != step.after.mode);
  }
  return !Same(step.before, spot->directory.get(), spot->name) &&
         !Same(step.after, spot->directory.get(), spot->name);
}

void RestoreTimes(const Step& step, const Place& place) {
  const auto spot = FindSpot(RootOf(step.outside, place), step.path);
  if (!spot || HashOfNames(spot->directory.get()) != step.names) return;
  static_cast<void>(GiveTimes(spot->directory.get(), ".", step.parent));
}

}  // namespace culprit::apply
