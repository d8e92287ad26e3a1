// The live answer to "what is at this path?". Everything asked is kept, so one question costs one look at the
// machine and the same question always gets the same answer while a report is made.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "collect/library_version.h"
#include "snapshot/file_view.h"
#include "system/system.h"

namespace culprit::collect {

snapshot::FileKind KindOf(system::FileType type);

class LiveFileView final : public snapshot::FileView {
 public:
  // `gpu_scan`: how thoroughly GPU code is searched for.
  explicit LiveFileView(const system::System& system,
                        binfmt::GpuScan gpu_scan = binfmt::GpuScan::kFatbinSections)
      : system_(system), gpu_scan_(gpu_scan), versions_reader_(system) {}

  const snapshot::FileFacts& Open(const std::string& path) override;
  snapshot::PathError Directory(const std::string& path) override;
  std::string RealPath(const std::string& path) override;
  std::optional<std::vector<snapshot::DirectoryItem>> List(const std::string& path) override;
  snapshot::Fact<snapshot::LibraryVersion> Version(const std::string& path) override;

  snapshot::Fact<binfmt::GpuCode> GpuCode(const std::string& path) override;
  const binfmt::PeExports* Exports(const std::string& path) override;

  struct Known {
    snapshot::FileFacts facts;
    bool is_link = false;
  };
  // Every path that was asked for by Open, in no order.
  const std::unordered_map<std::string, Known>& opened() const { return files_; }
  const std::unordered_map<std::string, snapshot::PathError>& directories() const { return directories_; }
  const std::set<std::string>& listed() const { return listed_; }
  const std::map<std::string, snapshot::Fact<binfmt::GpuCode>>& gpu_codes() const { return gpu_codes_; }
  // Export tables that were asked for; nullptr: there was none to be read.
  const std::map<std::string, std::shared_ptr<const binfmt::PeExports>>& exports() const { return exports_; }

 private:
  std::string Resolve(const std::string& path, int links);

  const system::System& system_;
  binfmt::GpuScan gpu_scan_;
  VersionReader versions_reader_;
  std::unordered_map<std::string, Known> files_;
  std::unordered_map<std::string, snapshot::PathError> directories_;
  std::unordered_map<std::string, std::string> real_paths_;
  std::set<std::string> listed_;
  std::unordered_map<std::string, snapshot::Fact<snapshot::LibraryVersion>> versions_;
  std::map<std::string, snapshot::Fact<binfmt::GpuCode>> gpu_codes_;
  std::map<std::string, std::shared_ptr<const binfmt::PeExports>> exports_;
};

}  // namespace culprit::collect
