// A directory looked at as if it were "/": an unpacked image, a mounted disk. No link leads out of it: Linux
// resolves paths inside the directory (linux/tree.h); elsewhere a path is first walked inside it, and only
// the resulting path, which has no links, reaches the host. The CPU on which the tree will run is not known.
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
    return At(path, LastLink::kFollow,
              [&](const std::string& real, LastLink kept) { return files_.Open(real, kept); });
  }
  Outcome<FileStatus> Stat(const std::string& path) const override {
    return At(path, LastLink::kFollow,
              [&](const std::string& real, LastLink kept) { return files_.Status(real, kept); });
  }
  Outcome<FileStatus> LinkStat(const std::string& path) const override {
    return At(path, LastLink::kKeep,
              [&](const std::string& real, LastLink kept) { return files_.Status(real, kept); });
  }
  Outcome<std::string> ReadLink(const std::string& path) const override {
    return At(path, LastLink::kKeep,
              [&](const std::string& real, LastLink) { return files_.ReadLink(real); });
  }
  Outcome<std::string> RealPath(const std::string& path) const override {
    return Walk(path, LastLink::kFollow);
  }
  Outcome<std::vector<DirectoryEntry>> List(const std::string& path) const override {
    return At(path, LastLink::kFollow,
              [&](const std::string& real, LastLink kept) { return files_.List(real, kept); });
  }
  Outcome<void> Access(const std::string& path, Rights rights) const override {
    return At(path, LastLink::kFollow,
              [&](const std::string& real, LastLink kept) { return files_.Access(real, rights, kept); });
  }

  std::map<std::string, std::string> Environment() const override { return {}; }
  std::string WorkingDirectory() const override { return "/"; }
  base::Cpu HostCpu() const override { return {.page_size = HostPageSize()}; }

 private:
  // What `use` says of a path that cannot lead out.
  template <typename Use>
  auto At(const std::string& path, LastLink last, Use use) const -> decltype(use(path, last)) {
    if (HostFiles::KeepsBelow()) return use(path, last);
    const auto real = Walk(path, last);
    if (!real) return std::unexpected(real.error());
    return use(*real, LastLink::kKeep);
  }

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

std::unique_ptr<System> SystemBelow(HostFiles files) { return std::make_unique<Rooted>(std::move(files)); }

base::Result<std::unique_ptr<System>> RootedSystem(const std::string& root) {
  Outcome<HostFiles> files = HostFiles::Below(root);
  if (files) return SystemBelow(std::move(*files));
  const auto code = files.error() == PathError::kNoEntry ? base::ErrorCode::kNotFound  //
                                                         : base::ErrorCode::kNotReadable;
  std::string message = "cannot use " + base::Printable(root) + " as root: ";
  return base::Fail(code, message.append(base::Strerror(files.error())));
}

}  // namespace culprit::system
