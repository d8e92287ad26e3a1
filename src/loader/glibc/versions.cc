// Symbol versions: every version that an object requires from a file must be defined by whatever was loaded
// under that file's name (elf/dl-version.c). Whether individual symbols exist is not checked here.
#include <algorithm>

#include "loader/glibc/process.h"

namespace culprit::loader {

GlibcProcess::Map* GlibcProcess::FindByName(std::string_view name) {
  for (Map* map : namespace_) {
    if (map->name == name || std::ranges::find(map->names, name) != map->names.end()) return map;
  }
  return nullptr;
}

Loading<void> GlibcProcess::CheckVersions(Map* map, VersionMode mode) {
  const binfmt::ElfFile& elf = *map->elf;
  const std::string asking = DisplayName(*map);
  bool relr_marked = false;
  map->versions_checked = true;
  for (const binfmt::ElfVersionNeed& need : elf.version_needs) {
    const Map* provider = FindByName(need.file);
    if (mode == VersionMode::kStart && IsMissing(need.file, provider)) continue;
    if (provider == nullptr) {
      return std::unexpected(LoadError{.object = "Inconsistency detected by ld.so: dl-version.c",
                                       .text = "_dl_check_map_versions",
                                       .reason = "Assertion `needed != NULL' failed!",
                                       .crash = true});
    }
    const binfmt::ElfFile& defines = *provider->elf;
    const std::string file = DisplayName(*provider);
    for (const auto& version : need.versions) {
      relr_marked |= version.name == "GLIBC_ABI_DT_RELR";
      if (!defines.has_version_defs) {
        if (mode == VersionMode::kStart) {
          graph_.warnings.push_back(file + ": no version information available (required by " + asking + ")");
        }
        continue;
      }
      if (version.name == defines.version_base ||
          std::ranges::find(defines.version_defs, version.name) != defines.version_defs.end()) {
        continue;
      }
      const MissingVersion missing{.file = file, .version = version.name, .asker = asking};
      if (version.weak) {
        if (mode == VersionMode::kStart) graph_.warnings.push_back(file + ": weak " + missing.Text());
        continue;
      }
      if (mode == VersionMode::kDlopen)
        return std::unexpected(LoadError{.object = file, .text = missing.Text(), .missing_version = missing});
      graph_.missing_versions.push_back(missing);
    }
  }
  if (kind_.minor_version >= 36 && elf.has_relr && !elf.version_needs.empty() && !relr_marked) {
    const bool needs_libc = std::ranges::any_of(elf.requests, [](const binfmt::ElfRequest& request) {
      return request.kind == binfmt::ElfRequest::Kind::kNeeded && request.name.starts_with("libc.so.");
    });
    if (needs_libc) {
      return std::unexpected(LoadError{asking, "DT_RELR without GLIBC_ABI_DT_RELR dependency", ""});
    }
  }
  return {};
}

}  // namespace culprit::loader
