// For tests: a machine that asks before every access, so that a test can let files hang or fail.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "system/system.h"

namespace culprit::system {

class WatchedSystem : public System {
 public:
  // An error of `before` is what the access gives.
  WatchedSystem(std::shared_ptr<const System> machine, std::function<PathError(const std::string&)> before)
      : machine_(std::move(machine)), before_(std::move(before)) {}

  Outcome<OpenFile> Open(const std::string& path) const override {
    return Ask(path, [&] { return machine_->Open(path); });
  }
  Outcome<FileStatus> Stat(const std::string& path) const override {
    return Ask(path, [&] { return machine_->Stat(path); });
  }
  Outcome<FileStatus> LinkStat(const std::string& path) const override {
    return Ask(path, [&] { return machine_->LinkStat(path); });
  }
  Outcome<std::string> ReadLink(const std::string& path) const override {
    return Ask(path, [&] { return machine_->ReadLink(path); });
  }
  Outcome<std::string> RealPath(const std::string& path) const override {
    return Ask(path, [&] { return machine_->RealPath(path); });
  }
  Outcome<void> Access(const std::string& path, Rights rights) const override {
    return Ask(path, [&] { return machine_->Access(path, rights); });
  }
  Outcome<std::vector<DirectoryEntry>> List(const std::string& path) const override {
    return Ask(path, [&] { return machine_->List(path); });
  }
  std::map<std::string, std::string> Environment() const override { return machine_->Environment(); }
  std::string WorkingDirectory() const override { return machine_->WorkingDirectory(); }
  base::Cpu HostCpu() const override { return machine_->HostCpu(); }

 private:
  template <typename Call>
  std::invoke_result_t<Call> Ask(const std::string& path, Call call) const {
    if (const PathError error = before_(path); error != PathError::kNone) return std::unexpected(error);
    return call();
  }

  std::shared_ptr<const System> machine_;
  std::function<PathError(const std::string&)> before_;
};

// Blocks those who pass until Release().
class Gate {
 public:
  void Pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [&] { return open_; });
  }
  void Release() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

}  // namespace culprit::system
