// A machine that takes notes of itself: the places that are there and refused to be listed or read, and the
// questions that still wait for an answer. Whoever looks through it need not tell a refusal from "not there";
// the notes do, once, for everything that was looked at.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/bytes/unread.h"
#include "system/system.h"

namespace culprit::system {

class NotedSystem final : public System {
 public:
  explicit NotedSystem(std::shared_ptr<const System> machine);

  // Each place that refused, by its real path: of everything below a directory that may not be searched, that
  // directory.
  std::map<std::string, base::Unread> unread() const;
  // The names under which such a place was asked for, where they lead to it through links.
  std::set<std::string> NamesOf(const std::string& place) const;
  // What was asked for at least `age` ago and has not been answered.
  std::vector<std::string> Waiting(std::chrono::milliseconds age) const;

  Outcome<OpenFile> Open(const std::string& path) const override;
  Outcome<OpenFile> OpenRegular(const std::string& path) const override;
  Outcome<FileStatus> Stat(const std::string& path) const override;
  Outcome<FileStatus> LinkStat(const std::string& path) const override;
  Outcome<std::string> ReadLink(const std::string& path) const override;
  Outcome<std::string> RealPath(const std::string& path) const override;
  Outcome<void> Access(const std::string& path, Rights rights) const override;
  Outcome<std::vector<DirectoryEntry>> List(const std::string& path) const override;
  std::map<std::string, std::string> Environment() const override { return machine_->Environment(); }
  std::string WorkingDirectory() const override { return machine_->WorkingDirectory(); }
  base::Cpu HostCpu() const override { return machine_->HostCpu(); }
  base::Platform platform() const override { return machine_->platform(); }
  Outcome<RegistryKey> ReadRegistry(const std::string& key) const override {
    return machine_->ReadRegistry(key);
  }
  void NoteUnread(const std::string& path, base::Unread why) const override;

 private:
  class Notes;
  class Asking;
  class Source;

  // Passes an answer on, after a look at its error.
  template <typename T>
  Outcome<T> Noted(const std::string& path, Outcome<T> answer) const;
  Outcome<OpenFile> NotedFile(const std::string& path, Outcome<OpenFile> file) const;
  void NoteRefusal(const std::string& path, base::Unread why) const;

  std::shared_ptr<const System> machine_;
  std::shared_ptr<Notes> notes_;  // open files outlive the machine
};

}  // namespace culprit::system
