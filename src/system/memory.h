// A machine made up by a test, with its files, environment and CPU. It logs every access, so that a test can
// assert that nothing else was looked at. Files can be changed, truncated and removed while they are open.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "system/path_walk.h"
#include "system/system.h"

namespace culprit::system {

class MemorySystem final : public System {
 public:
  MemorySystem();  // has "/" and nothing else
  ~MemorySystem() override;

  // Building. Paths are absolute; symlinks before the last component are followed, missing directories are
  // made, and what is already at the path is replaced by a new inode (except a directory, which stays). A
  // path that cannot be made (for example below a regular file) is a mistake in the test: the program stops.
  void AddFile(const std::string& path, std::string bytes = {}, uint32_t mode = 0644);
  void AddSparseFile(const std::string& path, uint64_t size);  // zeros that take no memory
  void AddDirectory(const std::string& path, uint32_t mode = 0755);
  void AddLink(const std::string& path, const std::string& target);
  void AddHardLink(const std::string& path, const std::string& existing);
  void AddFifo(const std::string& path);
  void AddDevice(const std::string& path, uint32_t mode = 0666, uint32_t group = 0);
  // A file cannot be opened; a directory can be neither listed nor searched.
  void SetUnreadable(const std::string& path);
  // Access() uses the bits for others: the user of this machine owns nothing.
  void SetMode(const std::string& path, uint32_t mode);
  // In place: whoever has the file open sees it.
  void Truncate(const std::string& path, uint64_t size);
  // With everything below; whoever has a file open keeps it.
  void Remove(const std::string& path);
  void SetEnvironment(std::map<std::string, std::string> variables) { environment_ = std::move(variables); }
  void SetWorkingDirectory(std::string path) { working_directory_ = std::move(path); }
  void SetCpu(base::Cpu cpu) { cpu_ = std::move(cpu); }
  // Before anything is added. On Windows names have no case, paths begin with a drive ("/C:/Windows"), ".."
  // is resolved as text, and the working directory is "/C:" until another is set.
  void SetPlatform(base::Platform platform);
  // "HKLM/SOFTWARE/NVIDIA Corporation"; adds its parents, too. A second call adds values. Without any key the
  // registry is out of reach (kNotRecorded).
  void AddRegistryKey(const std::string& key, const std::map<std::string, std::string>& values = {});

  // Every path and registry key that was asked for since the start or the last ClearAccessed(), as it was
  // spelled.
  std::set<std::string> accessed() const;
  void ClearAccessed();

  Outcome<OpenFile> Open(const std::string& path) const override;
  Outcome<FileStatus> Stat(const std::string& path) const override;
  Outcome<FileStatus> LinkStat(const std::string& path) const override;
  Outcome<std::string> ReadLink(const std::string& path) const override;
  Outcome<std::string> RealPath(const std::string& path) const override;
  Outcome<void> Access(const std::string& path, Rights rights) const override;
  Outcome<std::vector<DirectoryEntry>> List(const std::string& path) const override;
  std::map<std::string, std::string> Environment() const override { return environment_; }
  std::string WorkingDirectory() const override { return working_directory_; }
  base::Cpu HostCpu() const override { return cpu_; }
  base::Platform platform() const override { return platform_; }
  Outcome<RegistryKey> ReadRegistry(const std::string& key) const override;

 private:
  struct Inode;
  class Source;
  using InodePtr = std::shared_ptr<Inode>;

  // The node at a path asked for by a user of System; logs it.
  Outcome<InodePtr> Ask(const std::string& path, LastLink last) const;
  Outcome<std::string> Walk(const std::string& path, LastLink last) const;
  // The clean path at which something new goes.
  std::string Place(const std::string& path);
  Inode& Existing(const std::string& path);
  void Add(const std::string& path, Inode inode);
  void Log(const std::string& asked) const;

  struct NameLess {
    bool ignore_case = false;
    bool operator()(const std::string& a, const std::string& b) const;
  };

  base::Platform platform_ = base::Platform::kLinux;
  // By clean path; found without case on Windows, where a key has the spelling of the one who made the file.
  std::map<std::string, InodePtr, NameLess> nodes_;
  std::map<std::string, RegistryKey, NameLess> registry_{NameLess{true}};
  uint64_t last_inode_ = 0;
  std::map<std::string, std::string> environment_;
  std::string working_directory_ = "/";
  base::Cpu cpu_;
  mutable std::mutex log_mutex_;
  mutable std::set<std::string> accessed_;
};

}  // namespace culprit::system
