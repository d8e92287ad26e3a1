// What the real Linux and Windows systems share: files as this process sees them, with symlinks followed.
#pragma once

#include <string>
#include <vector>

#include "system/host_files.h"
#include "system/system.h"

namespace culprit::system {

class HostSystem : public System {
 public:
  Outcome<OpenFile> Open(const std::string& path) const override {
    return files_.Open(path, LastLink::kFollow);
  }
  Outcome<OpenFile> OpenRegular(const std::string& path) const override { return files_.OpenRegular(path); }
  Outcome<FileStatus> Stat(const std::string& path) const override {
    return files_.Status(path, LastLink::kFollow);
  }
  Outcome<FileStatus> LinkStat(const std::string& path) const override {
    return files_.Status(path, LastLink::kKeep);
  }
  Outcome<std::string> ReadLink(const std::string& path) const override { return files_.ReadLink(path); }
  Outcome<std::vector<DirectoryEntry>> List(const std::string& path) const override {
    return files_.List(path, LastLink::kFollow);
  }
  Outcome<void> Access(const std::string& path, Rights rights) const override {
    return files_.Access(path, rights, LastLink::kFollow);
  }

 protected:
  HostFiles files_;
};

}  // namespace culprit::system
