// The root file system in a squashfs as a machine. Directories are read when somebody asks for them, and
// stay; files are read where they lie. The twin of ImageSystem, which has the layers of an image.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "image/layer_contents.h"
#include "image/squashfs/volume.h"
#include "image/troubles.h"
#include "system/path_walk.h"
#include "system/system.h"

namespace culprit::image {

class SquashfsSystem final : public system::System {
 public:
  SquashfsSystem(std::shared_ptr<const SquashfsVolume> volume, const Budget& budget,
                 std::shared_ptr<Troubles> troubles);

  system::Outcome<system::OpenFile> Open(const std::string& path) const override;
  system::Outcome<system::FileStatus> Stat(const std::string& path) const override;
  system::Outcome<system::FileStatus> LinkStat(const std::string& path) const override;
  system::Outcome<std::string> ReadLink(const std::string& path) const override;
  system::Outcome<std::string> RealPath(const std::string& path) const override;
  // Root reads everything.
  system::Outcome<void> Access(const std::string& path, system::Rights rights) const override;
  system::Outcome<std::vector<system::DirectoryEntry>> List(const std::string& path) const override;
  std::map<std::string, std::string> Environment() const override { return environment_; }
  std::string WorkingDirectory() const override { return "/"; }
  base::Cpu HostCpu() const override { return {}; }

  // Known only after files were read.
  void SetEnvironment(std::map<std::string, std::string> environment) {
    environment_ = std::move(environment);
  }

 private:
  struct Node;
  using Nodes = std::vector<Node>;
  struct Node {
    std::string name;
    system::FileType type = system::FileType::kOther;
    uint64_t inode = 0;
    std::unique_ptr<const Nodes> below{};  // of a directory that was read, sorted by name
  };

  // Where a path leads, without the symlinks on the way; "" and the root for "/".
  struct Found {
    std::string path;
    const Node* node = nullptr;
  };
  system::Outcome<Found> Walk(const std::string& path, system::LastLink last) const;
  system::Outcome<const Node*> Find(std::string_view clean) const;
  system::Outcome<const Node*> FindIn(const Node& directory, std::string_view path,
                                      std::string_view name) const;
  // What is in a directory; null if it cannot be read, which is noted.
  const Nodes* Below(const Node& directory, std::string_view path) const;
  std::unique_ptr<const Nodes> Read(const Node& directory, std::string_view path) const;
  system::Outcome<SquashfsInode> InodeOf(const Found& found) const;
  system::Outcome<system::FileStatus> StatusAt(const std::string& path, system::LastLink last) const;

  std::shared_ptr<const SquashfsVolume> volume_;
  std::shared_ptr<Troubles> troubles_;
  std::map<std::string, std::string> environment_;
  mutable std::mutex mutex_;  // for all below, and Node::below
  mutable Budget budget_;
  mutable std::set<uint64_t> entered_;  // directories, by inode: each has one place
  mutable Node root_;
};

}  // namespace culprit::image
