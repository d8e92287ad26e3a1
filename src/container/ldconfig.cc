// ldconfig: reads /etc/ld.so.conf and what it includes, looks into those directories and the system's own,
// makes the soname symlinks, removes dangling ones, and writes /etc/ld.so.cache (ldconfig(8); which symlinks
// count as separate libraries was found out from its behaviour; docs/ld-so-cache-format.md has the bytes).
#include "container/ldconfig.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "binfmt/cache/write_ld_so_cache.h"
#include "binfmt/elf/constants.h"
#include "binfmt/elf/elf.h"
#include "system/loader_conf.h"

namespace culprit::container {
namespace {

using base::JoinPath;
using system::FileType;
using system::System;

constexpr const char* kCache = "/etc/ld.so.cache";

// Those of the configuration, then those of the system, each once.
std::vector<std::string> Directories(const System& machine) {
  std::vector<std::string> all = system::ReadLoaderConf(machine).directories, kept, seen;
  for (const char* triplet : {"x86_64-linux-gnu", "aarch64-linux-gnu"}) {
    for (const char* above : {"/lib/", "/usr/lib/"}) all.push_back(std::string(above) + triplet);
  }
  for (const char* directory : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) all.emplace_back(directory);
  for (std::string& directory : all) {
    while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
    const auto real = machine.RealPath(directory);
    if (!real || std::ranges::find(seen, *real) != seen.end()) continue;
    seen.push_back(*real);
    kept.push_back(directory);
  }
  return kept;
}

// FLAG_* of ldconfig for the ABI of a library; nothing: not one that a current cache contains.
std::optional<int32_t> FlagsOf(const binfmt::ElfFile& elf) {
  constexpr int32_t kLibc6 = 3;
  switch (elf.machine) {
    case EM_X86_64:
      return elf.bits() == 64 ? 0x0300 | kLibc6 : 0x0800 | kLibc6;
    case EM_AARCH64:
      return 0x0a00 | kLibc6;
    case EM_PPC64:
      return 0x0500 | kLibc6;
    case EM_S390:
      return 0x0400 | kLibc6;
    case EM_386:
      return kLibc6;
    case EM_ARM:
      return 0x0900 | kLibc6;
    default:
      return std::nullopt;
  }
}

struct Found {
  std::string soname, name;
  bool link = false;
  int32_t flags = 0;
};

// What ldconfig counts as a library of this directory; a dangling symlink goes into `made.removed`.
void Look(const System& machine, const std::string& directory, const system::DirectoryEntry& entry,
          std::vector<Found>& all, system::SystemChanges& made) {
  const std::string& name = entry.name;
  if ((!name.starts_with("lib") && !name.starts_with("ld-")) || name.find(".so") == name.npos) return;
  if (entry.type != FileType::kLink && entry.type != FileType::kRegular) return;
  const std::string path = JoinPath(directory, name);
  const auto file = machine.Open(path);
  bool link = entry.type == FileType::kLink;
  if (!file) {
    if (link && file.error() == base::PathError::kNoEntry && name.find(".so.") != name.npos)
      made.removed.insert(path);
    return;
  }
  if (!file->bytes) return;
  const binfmt::ElfFile elf = binfmt::ReadElf(*file->bytes);
  const auto flags = FlagsOf(elf);
  if (elf.problem != binfmt::ElfProblem::kNone || elf.type != ET_DYN || !flags) return;
  std::string soname = elf.soname.value_or(name);
  if (link && name != soname && !(name.ends_with(".so") && soname.starts_with(name))) link = false;
  if (link) soname = name;
  const auto known = std::ranges::find_if(
      all, [&](const Found& other) { return other.soname == soname && other.flags == *flags; });
  if (known == all.end()) {
    all.push_back({soname, name, link, *flags});
  } else if ((!link && known->link) ||
             (link == known->link && binfmt::LdCacheCompare(known->name, name) < 0)) {
    known->name = name;
    known->link = link;
  }
}

struct Line {
  std::string name, path, hwcaps;
  int32_t flags;
};

struct Scan {
  system::SystemChanges made;  // links
  std::vector<Line> lines;
};

void ReadDirectory(const System& machine, const std::string& directory, const std::string& hwcaps,
                   Scan& scan) {
  const auto entries = machine.List(directory);
  if (!entries) return;
  std::vector<Found> all;
  for (const auto& entry : *entries) Look(machine, directory, entry, all, scan.made);
  for (const Found& found : all) {
    // ldconfig makes no symlinks in CPU-specific directories.
    const std::string path = JoinPath(directory, hwcaps.empty() ? found.soname : found.name);
    const auto there = machine.LinkStat(path);
    // A regular file in place of the symlink is left alone: "is not a symbolic link".
    if (hwcaps.empty() && !found.link && found.soname != found.name &&
        (!there || there->type == FileType::kLink)) {
      scan.made.put[path] = {.type = FileType::kLink, .bytes = {}, .target = found.name};
      scan.made.removed.erase(path);
    }
    scan.lines.push_back({found.soname, path, hwcaps, found.flags});
  }
}

Scan ScanMachine(const System& machine) {
  Scan scan;
  const std::vector<std::string> directories = Directories(machine);
  // CPU-specific entries come before general ones.
  for (const std::string& directory : directories) {
    const std::string hwcaps = JoinPath(directory, "glibc-hwcaps");
    if (const auto levels = machine.List(hwcaps)) {
      for (const auto& level : *levels)
        ReadDirectory(machine, JoinPath(hwcaps, level.name), level.name, scan);
    }
  }
  for (const std::string& directory : directories) ReadDirectory(machine, directory, "", scan);
  return scan;
}

std::string Cache(const std::vector<Line>& lines) {
  binfmt::LdCacheSpec spec;
  for (const Line& line : lines) {
    spec.entries.push_back(
        {.flags = line.flags, .name = line.name, .path = line.path, .hwcap = 0, .hwcaps_dir = line.hwcaps});
  }
  return binfmt::BuildLdCache(spec);
}

}  // namespace

system::SystemChanges RunLdconfig(const System& machine) {
  Scan scan = ScanMachine(machine);
  scan.made.put[kCache] = {.bytes = Cache(scan.lines), .target = {}};
  return std::move(scan.made);
}

base::Result<binfmt::LdCache> CacheAfterLdconfig(const System& machine) {
  Scan scan = ScanMachine(machine);
  for (Line& line : scan.lines) {
    const auto made = scan.made.put.find(line.path);
    if (made == scan.made.put.end()) continue;
    std::string file = JoinPath(std::string(base::DirName(line.path)), made->second.target);
    if (machine.RealPath(line.path) != machine.RealPath(file)) line.path = std::move(file);
  }
  const std::string bytes = Cache(scan.lines);
  return binfmt::ReadLdCache(base::MemorySource(std::as_bytes(std::span(bytes))));
}

}  // namespace culprit::container
