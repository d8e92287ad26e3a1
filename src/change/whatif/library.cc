// A library or program that will stand at a path.
#include "base/text.h"
#include "base/version.h"
#include "change/whatif/claims.h"
#include "change/whatif/make.h"

namespace culprit::whatif {
namespace {

using base::BaseName;
using base::DirName;
using base::JoinPath;

// The name that tells the version of a library which says it nowhere else: libcublas.so.12.4.5.8 for
// libcublas.so.12. "" where the given name or a word inside will do.
std::string NumberedName(const std::string& name, const std::string& version, const Claims& claims) {
  const knowledge::Library* library = knowledge::FindLibrary(name);
  const auto number = base::Version::Parse(version);
  if (library == nullptr || !number || number->parts.size() < 3 || !claims.words.empty()) return "";
  const size_t at = name.find(".so");
  if (at == name.npos) return "";
  const std::string numbered = name.substr(0, at) + ".so." + version;
  return numbered == name ? "" : numbered;
}

}  // namespace

Changes Make(const system::System& machine, const report::PutLibrary& change) {
  Claims claims;
  if (!change.like.empty()) {
    auto like = ClaimsOf(machine, change.like);
    if (!like) {
      return base::Fail(base::ErrorCode::kNotReadable,
                        base::Printable(change.like) + " cannot be read, so it cannot be copied from");
    }
    claims = std::move(*like);
  }
  const bool windows = machine.platform() == base::Platform::kWindows;
  const std::string name(BaseName(change.path));
  const bool other_name = !change.like.empty() && BaseName(change.like) != name;
  if (other_name && knowledge::FindLibrary(name) != nullptr) claims.soname.clear();
  if (!change.version.empty() || change.like.empty()) ClaimVersion(name, change.version, claims);
  if (!change.soname.empty()) claims.soname = change.soname;
  if (!change.needed.empty()) {
    claims.needed = change.needed;
    claims.imports.clear();
  }
  if (!change.runpath.empty()) {
    claims.runpath = change.runpath;
    claims.rpath.clear();
  }
  if (!change.version_defs.empty()) claims.version_defs = change.version_defs;
  if (!change.gpu_code.empty()) {
    std::string container;
    for (const std::string& target : change.gpu_code) container += (container.empty() ? "" : " ") + target;
    claims.gpu_code = {container};
  }
  claims.program = claims.program || change.program;
  if (windows && !change.version.empty() && knowledge::FindLibrary(name) == nullptr) {
    claims.resource = binfmt::PeVersionInfo{
        .file_version = change.version, .product_version = change.version, .strings = {}};
  }
  // Another version exports what that has.
  if (!change.version.empty()) claims.all_exports = false;
  system::SystemChanges made;
  const std::string numbered = windows ? "" : NumberedName(name, change.version, claims);
  std::string path = change.path;
  if (!numbered.empty()) {
    path = JoinPath(DirName(change.path), numbered);
    made.put[change.path] = {.type = system::FileType::kLink, .bytes = {}, .target = numbered};
  }
  made.put[path] = {.bytes = FileBytes(machine, path, claims), .target = {}, .mode = 0755};
  return made;
}

}  // namespace culprit::whatif
