// The container of an image as a machine: the merged tree is its "/", the configuration gives the
// environment and the CPU. Nothing runs there, so nothing is known of the host.
#pragma once

#include <memory>
#include <vector>

#include "image/config.h"
#include "image/layer.h"
#include "image/tree.h"
#include "system/system.h"

namespace culprit::image {

class ImageSystem final : public system::System {
 public:
  ImageSystem(ImageConfig config, std::vector<std::shared_ptr<const Layer>> layers,
              std::shared_ptr<const Tree> tree);

  system::Outcome<system::OpenFile> Open(const std::string& path) const override;
  system::Outcome<system::FileStatus> Stat(const std::string& path) const override;
  system::Outcome<system::FileStatus> LinkStat(const std::string& path) const override;
  system::Outcome<std::string> ReadLink(const std::string& path) const override;
  system::Outcome<std::string> RealPath(const std::string& path) const override;
  // Root reads everything.
  system::Outcome<void> Access(const std::string& path, system::Rights rights) const override;
  system::Outcome<std::vector<system::DirectoryEntry>> List(const std::string& path) const override;
  std::map<std::string, std::string> Environment() const override { return config_.environment; }
  std::string WorkingDirectory() const override;
  // As for any tree: the loader in it determines the machine, and the features of the host's CPU are unknown.
  base::Cpu HostCpu() const override { return {}; }

 private:
  system::Outcome<const Tree::Inode*> Ask(const std::string& path, system::LastLink last) const;
  system::FileStatus StatusOf(const Tree::Inode& inode) const;

  ImageConfig config_;
  std::vector<std::shared_ptr<const Layer>> layers_;
  std::shared_ptr<const Tree> tree_;
};

}  // namespace culprit::image
