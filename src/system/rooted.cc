// A directory looked at as if it were "/": an unpacked image, a mounted disk. Every path is first walked
// inside the directory, so that no link leads out of it; only the resulting path, which has no links, reaches
// the host, and there the last component is not followed either. The CPU on which the tree will run is not
// known.
#include "base/text.h"
#include "system/host_cpu.h"
#include "system/host_files.h"
#include "system/path_walk.h"
#include "system/system.h"

namespace culprit::system {
namespace {

class Rooted final : public System {
 public:
  explicit Rooted(HostFiles files) : files_(std::move(files)) {}

  Outcome<OpenFile> Open(const std::string& path) const override {
    const auto real = Walk(path, LastLink::kFollow);
    return real ? files_.Open(*real, LastLink::kKeep) : std::unexpected(real.error());
  }
  Outcome<FileStatus> Stat(const std::string& path) const override {
    const auto real = Walk(path, LastLink::kFollow);
    return real ? files_.Status(*real, LastLink::kKeep) : std::unexpected(real.error());
  }
  Outcome<FileStatus> LinkStat(const std::string& path) const override {
    const auto real = Walk(path, LastLink::kKeep);
    return real ? files_.Status(*real, LastLink::kKeep) : std::unexpected(real.error());
  }
  Outcome<std::string> ReadLink(const std::string& path) const override {
    const auto real = Walk(path, LastLink::kKeep);
    return real ? files_.ReadLink(*real) : std::unexpected(real.error());
  }
  Outcome<std::string> RealPath(const std::string& path) const override {
    return Walk(path, LastLink::kFollow);
  }
  Outcome<std::vector<DirectoryEntry>> List(const std::string& path) const override {
    const auto real = Walk(path, LastLink::kFollow);
    return real ? files_.List(*real, LastLink::kKeep) : std::unexpected(real.error());
  }
  Outcome<void> Access(const std::string& path, Rights rights) const override {
    const auto real = Walk(path, LastLink::kFollow);
    return real ? files_.Access(*real, rights, LastLink::kKeep) : std::unexpected(real.error());
  }

  std::map<std::string, std::string> Environment() const override { return {}; }
  std::string WorkingDirectory() const override { return "/"; }
  base::Cpu HostCpu() const override { return {.page_size = HostPageSize()}; }

 private:
  Outcome<std::string> Walk(const std::string& path, LastLink last) const {
    return WalkPath(path, last, [this](const std::string& clean) -> Outcome<PathNode> {
      const Outcome<FileStatus> status = files_.Status(clean, LastLink::kKeep);
      if (!status) return std::unexpected(status.error());
      if (status->type != FileType::kLink) return PathNode{status->type, {}};
      Outcome<std::string> target = files_.ReadLink(clean);
      if (!target) return std::unexpected(target.error());
      return PathNode{FileType::kLink, std::move(*target)};
    });
  }

  HostFiles files_;
};

}  // namespace

base::Result<std::unique_ptr<System>> RootedSystem(const std::string& root) {
  Outcome<HostFiles> files = HostFiles::Below(root);
  if (files) return std::make_unique<Rooted>(std::move(*files));
  const auto code = files.error() == PathError::kNoEntry ? base::ErrorCode::kNotFound  //
                                                         : base::ErrorCode::kNotReadable;
  std::string message = "cannot use " + base::Printable(root) + " as root: ";
  return base::Fail(code, message.append(base::Strerror(files.error())));
}

}  // namespace culprit::system
