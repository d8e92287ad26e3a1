// For tests: one way to build a small tree of files, on disk (for the real and the rooted twin) and in
// memory. On disk it stands in a temporary directory, so a path of the tree and a path of the system differ:
// At().
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "system/host_files.h"
#include "system/memory.h"
#include "system/system.h"

namespace culprit::system {

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(std::filesystem::temp_directory_path() / "culprit_XXXXXX") {
    std::string name = path_.string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = std::filesystem::canonical(name);
    chmod(path_.c_str(), 0755);  // for tests that give up root's rights
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// For its lifetime a test that runs as root has no more rights than anyone.
class WithoutRootRights {
 public:
  WithoutRootRights() : was_root_(geteuid() == 0) {
    if (was_root_ && seteuid(65534) != 0) std::abort();
  }
  WithoutRootRights(const WithoutRootRights&) = delete;
  WithoutRootRights& operator=(const WithoutRootRights&) = delete;
  ~WithoutRootRights() {
    if (was_root_ && seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_;
};

class TestTree {
 public:
  virtual ~TestTree() = default;
  virtual const System& system() const = 0;
  // How a path of the tree is called in system().
  virtual std::string At(const std::string& path) const = 0;

  // Parents must be there already; link targets are written as they are.
  virtual void File(const std::string& path, const std::string& bytes) = 0;
  virtual void SparseFile(const std::string& path, uint64_t size) = 0;
  virtual void Directory(const std::string& path) = 0;
  virtual void Link(const std::string& path, const std::string& target) = 0;
  virtual void Fifo(const std::string& path) = 0;
  virtual void Unreadable(const std::string& path) = 0;
  virtual void Mode(const std::string& path, uint32_t mode) = 0;
  virtual void Truncate(const std::string& path, uint64_t size) = 0;
  virtual void Remove(const std::string& path) = 0;
};

class DiskTree final : public TestTree {
 public:
  DiskTree() : rooted_(false), system_(RealSystem()) {}
  explicit DiskTree(HostFiles::Resolve resolve)
      : rooted_(true), system_(SystemBelow(*HostFiles::Below(directory_.path(), resolve))) {}
  const System& system() const override { return *system_; }
  std::string At(const std::string& path) const override { return rooted_ ? path : Host(path); }

  void File(const std::string& path, const std::string& bytes) override {
    std::ofstream(Host(path), std::ios::binary) << bytes;
  }
  void SparseFile(const std::string& path, uint64_t size) override {
    File(path, "");
    Truncate(path, size);
  }
  void Directory(const std::string& path) override { std::filesystem::create_directory(Host(path)); }
  void Link(const std::string& path, const std::string& target) override {
    std::filesystem::create_symlink(target, Host(path));
  }
  void Fifo(const std::string& path) override {
    if (mkfifo(Host(path).c_str(), 0644) != 0) std::abort();
  }
  void Unreadable(const std::string& path) override { chmod(Host(path).c_str(), 0); }
  void Mode(const std::string& path, uint32_t mode) override { chmod(Host(path).c_str(), mode); }
  void Truncate(const std::string& path, uint64_t size) override {
    std::filesystem::resize_file(Host(path), size);
  }
  void Remove(const std::string& path) override { std::filesystem::remove_all(Host(path)); }

 private:
  std::string Host(const std::string& path) const { return directory_.path() + path; }

  TemporaryDirectory directory_;
  bool rooted_;
  std::unique_ptr<System> system_;
};

class MemoryTree final : public TestTree {
 public:
  const System& system() const override { return system_; }
  std::string At(const std::string& path) const override { return path; }
  void File(const std::string& path, const std::string& bytes) override { system_.AddFile(path, bytes); }
  void SparseFile(const std::string& path, uint64_t size) override { system_.AddSparseFile(path, size); }
  void Directory(const std::string& path) override { system_.AddDirectory(path); }
  void Link(const std::string& path, const std::string& target) override { system_.AddLink(path, target); }
  void Fifo(const std::string& path) override { system_.AddFifo(path); }
  void Unreadable(const std::string& path) override { system_.SetUnreadable(path); }
  void Mode(const std::string& path, uint32_t mode) override { system_.SetMode(path, mode); }
  void Truncate(const std::string& path, uint64_t size) override { system_.Truncate(path, size); }
  void Remove(const std::string& path) override { system_.Remove(path); }

 private:
  MemorySystem system_;
};

}  // namespace culprit::system
