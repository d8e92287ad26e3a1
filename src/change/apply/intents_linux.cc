// Which changes culprit makes itself, and why it leaves the others to the user. It makes only changes that
// can be undone byte for byte, so never a driver, a toolkit or another library.
#include <unistd.h>

#include "base/text.h"
#include "change/apply/steps.h"

namespace culprit::apply {
namespace {

using base::ErrorCode;
using base::Fail;
using Intents = base::Result<std::vector<Intent>>;
using Kind = Standing::Kind;

Intents Left(std::string why) { return Fail(ErrorCode::kUnsupported, std::move(why)); }

struct Maker {
  const report::Change& change;
  const Place& place;

  // At a path of the machine, whatever it will be.
  Intents At(Intent intent) const {
    intent.text = report::InWords(change);
    const auto spot = FindSpot(place.root, intent.path);
    if (!spot) return Left(spot.error().message);
    const auto standing = LookAt(spot->directory.get(), spot->name);
    if (!standing) return Left(standing.error().message);
    if (standing->kind == Kind::kSpecial)
      return Left(intent.path + " is a device, pipe or socket, which culprit does not touch");
    if (intent.kind == Intent::Kind::kFile && standing->kind != Kind::kAbsent &&
        standing->kind != Kind::kFile)
      return Left(intent.path + " is not a regular file");
    if (intent.kind == Intent::Kind::kMode &&
        (standing->kind == Kind::kAbsent || standing->kind == Kind::kLink))
      return Left(intent.path + " is missing or a symlink");
    for (const char* kernel : {"/proc/", "/sys/", "/dev/"}) {
      if (place.root.empty() && intent.path.starts_with(kernel))
        return Left(intent.path + " belongs to the kernel; changes there do not persist");
    }
    Writable may = MayChange(*spot);
    // The owner of a file can change its mode, wherever the file is.
    if (intent.kind == Intent::Kind::kMode && may != Writable::kReadOnly)
      may = Owns(*standing) ? Writable::kYes : Writable::kNeedsRoot;
    if (may == Writable::kReadOnly) return Left(intent.path + " is on a read-only file system");
    intent.root = may == Writable::kNeedsRoot;
    return std::vector{std::move(intent)};
  }
  static bool Owns(const Standing& standing) { return geteuid() == 0 || geteuid() == standing.user; }

  Intents operator()(const report::SetVariable&) const { return VariableIntents(change, place); }
  Intents operator()(const report::UnsetVariable&) const { return VariableIntents(change, place); }
  Intents operator()(const report::DropFromList&) const { return VariableIntents(change, place); }
  Intents operator()(const report::AddToList&) const { return VariableIntents(change, place); }
  Intents operator()(const report::PutLink& c) const {
    return At({.kind = Intent::Kind::kLink, .path = c.path, .target = c.target});
  }
  Intents operator()(const report::PutText& c) const {
    return At({.kind = Intent::Kind::kFile, .path = c.path, .bytes = c.text});
  }
  Intents operator()(const report::RemoveFile& c) const {
    return At({.kind = Intent::Kind::kRemove, .path = c.path});
  }
  Intents operator()(const report::SetMode& c) const {
    return At({.kind = Intent::Kind::kMode, .path = c.path, .mode = c.mode & 07777});
  }
  Intents operator()(const report::RefreshCache&) const {
    auto intent = CacheIntent(place);
    if (!intent) return std::unexpected(intent.error());
    intent->text = report::InWords(change);
    return std::vector{std::move(*intent)};
  }
  Intents Package(const std::string& prefix, const std::string& package, const std::string& version,
                  bool install) const {
    auto intent = PackageIntent(prefix, package, version, install, place);
    if (!intent) return std::unexpected(intent.error());
    intent->text = report::InWords(change);
    return std::vector{std::move(*intent)};
  }
  Intents operator()(const report::InstallPackage& c) const {
    return Package(c.environment, c.package, c.version, true);
  }
  Intents operator()(const report::RemovePackage& c) const {
    return Package(c.environment, c.package, "", false);
  }
  Intents operator()(const report::DropFromLoaderConf& c) const { return LoaderConfIntents(c, place); }
  // Everything else (a driver, a toolkit, a library, a service) is done by a command of the fix, and cannot
  // be undone.
  template <typename Other>
  Intents operator()(const Other&) const {
    return Left("");
  }
  Intents operator()(const report::PutDevice&) const {
    return Left("device nodes are created by the driver's tools and do not persist");
  }
  Intents operator()(const report::SetRegistry&) const { return Left("culprit does not write the registry"); }
  Intents operator()(const report::NotInFiles& c) const { return Left(c.why); }
};

}  // namespace

base::Result<std::vector<Intent>> IntentsOf(const report::Change& change, const Place& place) {
  return std::visit(Maker{change, place}, change.value());
}

}  // namespace culprit::apply
