#include "system/noted.h"

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <utility>

#include "base/text.h"

namespace culprit::system {

class NotedSystem::Notes {
 public:
  // False: it is noted already.
  bool IsNew(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return refused_.insert(path).second;
  }
  void Add(const std::string& place, base::Unread why) {
    const std::lock_guard lock(mutex_);
    unread_.emplace(place, why);
  }
  void AddName(const std::string& place, const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_[place].insert(name);
  }
  std::set<std::string> NamesOf(const std::string& place) const {
    const std::lock_guard lock(mutex_);
    const auto names = names_.find(place);
    return names == names_.end() ? std::set<std::string>() : names->second;
  }
  std::map<std::string, base::Unread> unread() const {
    const std::lock_guard lock(mutex_);
    return unread_;
  }

  // Each thread has a slot of its own as long as there are enough, so that none waits for another. Of more
  // questions at a time than slots the rest is not watched.
  size_t Begin(const std::string& path) {
    static std::atomic<size_t> threads = 0;
    thread_local const size_t mine = threads++;
    for (size_t i = mine; i < mine + kSlots; ++i) {
      Slot& slot = asked_[i % kSlots];
      if (slot.taken.exchange(true)) continue;
      const auto now = std::chrono::steady_clock::now();
      const std::lock_guard lock(slot.mutex);
      slot.path = &path;
      slot.since = now;
      return i % kSlots;
    }
    return kSlots;
  }
  void End(size_t number) {
    if (number == kSlots) return;
    Slot& slot = asked_[number];
    {
      const std::lock_guard lock(slot.mutex);
      slot.path = nullptr;
    }
    slot.taken = false;
  }
  std::vector<std::string> Waiting(std::chrono::milliseconds age) const {
    const auto before = std::chrono::steady_clock::now() - age;
    std::vector<std::string> paths;
    for (const Slot& slot : asked_) {
      const std::lock_guard lock(slot.mutex);
      if (slot.path != nullptr && slot.since <= before) paths.push_back(*slot.path);
    }
    return paths;
  }

 private:
  static constexpr size_t kSlots = 64;
  struct alignas(64) Slot {  // a cache line
    std::atomic<bool> taken = false;
    mutable std::mutex mutex;
    const std::string* path = nullptr;  // of whoever asks, who waits as long
    std::chrono::steady_clock::time_point since;
  };

  mutable std::mutex mutex_;
  std::set<std::string> refused_;
  std::map<std::string, base::Unread> unread_;
  std::map<std::string, std::set<std::string>> names_;  // by the place
  std::array<Slot, kSlots> asked_;
};

class NotedSystem::Asking {
 public:
  Asking(Notes& notes, const std::string& path) : notes_(notes), slot_(notes.Begin(path)) {}
  ~Asking() { notes_.End(slot_); }
  Asking(const Asking&) = delete;

 private:
  Notes& notes_;
  size_t slot_;
};

class NotedSystem::Source final : public base::ByteSource {
 public:
  Source(std::shared_ptr<Notes> notes, std::string path, std::unique_ptr<base::ByteSource> bytes)
      : notes_(std::move(notes)), path_(std::move(path)), bytes_(std::move(bytes)) {}
  uint64_t size() const override { return bytes_->size(); }
  base::Result<size_t> ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    const Asking asking(*notes_, path_);
    auto read = bytes_->ReadAt(offset, out);
    if (!read) {
      const bool damaged = read.error().code != base::ErrorCode::kNotReadable;  // a member of an archive
      notes_->Add(path_, damaged ? base::Unread::kNotUnderstood : base::Unread::kInputOutput);
    }
    return read;
  }

 private:
  std::shared_ptr<Notes> notes_;
  std::string path_;
  std::unique_ptr<base::ByteSource> bytes_;
};

NotedSystem::NotedSystem(std::shared_ptr<const System> machine)
    : machine_(std::move(machine)), notes_(std::make_shared<Notes>()) {}

std::map<std::string, base::Unread> NotedSystem::unread() const { return notes_->unread(); }

std::set<std::string> NotedSystem::NamesOf(const std::string& place) const { return notes_->NamesOf(place); }

std::vector<std::string> NotedSystem::Waiting(std::chrono::milliseconds age) const {
  return notes_->Waiting(age);
}

void NotedSystem::NoteUnread(const std::string& path, base::Unread why) const { notes_->Add(path, why); }

// Of a path that may not be looked at it is the directory on the way that refuses.
void NotedSystem::NoteRefusal(const std::string& path, base::Unread why) const {
  std::string place = base::CleanPath(path);
  while (why == base::Unread::kAccess && place.size() > 1) {
    const auto status = machine_->Stat(place);
    if (status || status.error() != PathError::kAccess) break;
    place = base::DirName(place);
  }
  const std::string real = machine_->RealPath(place).value_or(place);
  notes_->Add(real, why);
  if (real != place) notes_->AddName(real, place);
}

template <typename T>
Outcome<T> NotedSystem::Noted(const std::string& path, Outcome<T> answer) const {
  if (answer) return answer;
  const bool denied = answer.error() == PathError::kAccess;
  const bool failed = answer.error() == PathError::kOther;
  if ((!denied && !failed) || !path.starts_with('/') || !notes_->IsNew(path)) return answer;
  NoteRefusal(path, denied ? base::Unread::kAccess : base::Unread::kInputOutput);
  return answer;
}

Outcome<OpenFile> NotedSystem::NotedFile(const std::string& path, Outcome<OpenFile> file) const {
  file = Noted(path, std::move(file));
  if (file && file->bytes) file->bytes = std::make_unique<Source>(notes_, path, std::move(file->bytes));
  return file;
}

Outcome<OpenFile> NotedSystem::Open(const std::string& path) const {
  const Asking asking(*notes_, path);
  return NotedFile(path, machine_->Open(path));
}

Outcome<OpenFile> NotedSystem::OpenRegular(const std::string& path) const {
  const Asking asking(*notes_, path);
  return NotedFile(path, machine_->OpenRegular(path));
}

Outcome<FileStatus> NotedSystem::Stat(const std::string& path) const {
  const Asking asking(*notes_, path);
  return Noted(path, machine_->Stat(path));
}

Outcome<FileStatus> NotedSystem::LinkStat(const std::string& path) const {
  const Asking asking(*notes_, path);
  return Noted(path, machine_->LinkStat(path));
}

Outcome<std::string> NotedSystem::ReadLink(const std::string& path) const {
  const Asking asking(*notes_, path);
  return machine_->ReadLink(path);  // of what is no link it is an error, too
}

Outcome<std::string> NotedSystem::RealPath(const std::string& path) const {
  const Asking asking(*notes_, path);
  return Noted(path, machine_->RealPath(path));
}

Outcome<void> NotedSystem::Access(const std::string& path, Rights rights) const {
  const Asking asking(*notes_, path);
  return machine_->Access(path, rights);  // to be refused is an answer
}

Outcome<std::vector<DirectoryEntry>> NotedSystem::List(const std::string& path) const {
  const Asking asking(*notes_, path);
  auto entries = Noted(path, machine_->List(path));
  if (entries && entries->size() >= kMostEntries) NoteRefusal(path, base::Unread::kTooMuch);
  return entries;
}

}  // namespace culprit::system
