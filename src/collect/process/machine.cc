// The machine as a process sees it that has another root: a container, a chroot.
#include "collect/process/process.h"

namespace culprit::collect {
namespace {

using system::System;

// Files of the process, kernel of this machine.
class ProcessMachine final : public System {
 public:
  ProcessMachine(std::shared_ptr<const System> machine, std::unique_ptr<System> files,
                 const ProcessLook& look)
      : machine_(std::move(machine)),
        files_(std::move(files)),
        self_("/proc/" + std::to_string(look.process.id)),
        environment_(look.environment),
        working_directory_(look.working_directory) {}

  system::Outcome<system::OpenFile> Open(const std::string& path) const override {
    const auto [system, there] = Door(path);
    return system->Open(there);
  }
  system::Outcome<system::FileStatus> Stat(const std::string& path) const override {
    const auto [system, there] = Door(path);
    return system->Stat(there);
  }
  system::Outcome<system::FileStatus> LinkStat(const std::string& path) const override {
    const auto [system, there] = Door(path);
    return system->LinkStat(there);
  }
  system::Outcome<std::string> ReadLink(const std::string& path) const override {
    const auto [system, there] = Door(path);
    return system->ReadLink(there);
  }
  system::Outcome<std::string> RealPath(const std::string& path) const override {
    const auto [system, there] = Door(path);
    return system->RealPath(there);
  }
  system::Outcome<void> Access(const std::string& path, system::Rights rights) const override {
    const auto [system, there] = Door(path);
    return system->Access(there, rights);
  }
  system::Outcome<std::vector<system::DirectoryEntry>> List(const std::string& path) const override {
    const auto [system, there] = Door(path);
    return system->List(there);
  }
  std::map<std::string, std::string> Environment() const override { return environment_; }
  std::string WorkingDirectory() const override { return working_directory_; }
  base::Cpu HostCpu() const override { return machine_->HostCpu(); }

 private:
  std::pair<const System*, std::string> Door(const std::string& path) const {
    const auto below = [&](std::string_view directory) {
      return path == directory || path.starts_with(std::string(directory) + "/");
    };
    constexpr std::string_view kSelf = "/proc/self";
    if (below(kSelf)) return {machine_.get(), self_ + path.substr(kSelf.size())};
    if (below("/proc") || below("/sys")) return {machine_.get(), path};
    return {files_.get(), path};
  }

  std::shared_ptr<const System> machine_;
  std::unique_ptr<System> files_;
  std::string self_;
  std::map<std::string, std::string> environment_;
  std::string working_directory_;
};

}  // namespace

base::Result<std::shared_ptr<const System>> MachineOf(std::shared_ptr<const System> machine,
                                                      const ProcessLook& look) {
  if (look.root.empty()) return machine;
  auto files = system::RootedSystem(look.root);
  if (!files) return std::unexpected(files.error());
  return std::make_shared<const ProcessMachine>(std::move(machine), std::move(*files), look);
}

Surroundings AroundProcess(const System& machine, const ProcessLook& look) {
  return {.system = machine,
          .environment = look.environment,
          .working_directory = look.working_directory.empty() ? "/" : look.working_directory,
          .python = {},
          .environments = look.python,
          .no_python = look.python.empty()};
}

}  // namespace culprit::collect
