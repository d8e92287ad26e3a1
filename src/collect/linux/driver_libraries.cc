// Every copy of the user-space driver: the driver's own, those of cuda-compat packages, stubs for linking,
// WSL's, Jetson's, what a container runtime mounted. The full version stands in the name of the real file
// (libcuda.so.580.95.05); the names of WSL and Jetson tell none.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "binfmt/cache/ld_so_cache.h"
#include "binfmt/elf/section_text.h"
#include "collect/linux/driver_parts.h"
#include "knowledge/libraries.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using snapshot::DriverLibrary;
using snapshot::DriverLibraryKind;
using system::FileType;

constexpr size_t kMostDirectories = 512;

// Beside those of data/libraries.toml: Jetson since JetPack 6, old Ubuntu packages, stubs of Debian's
// toolkit.
constexpr std::array<std::string_view, 4> kMoreDirectories = {
    "/usr/lib/*-linux-gnu/nvidia", "/usr/lib/nvidia*", "/usr/lib/*-linux-gnu/stubs", "/usr/lib32"};

constexpr std::array<std::string_view, 3> kFamilies = {"libcuda.so", "libnvidia-ml.so",
                                                       "libnvidia-ptxjitcompiler.so"};

class Directories {
 public:
  explicit Directories(const system::System& system) : system_(system) {}

  void Add(std::string_view directory) {
    std::string path = base::CleanPath(directory);
    if (!path.starts_with('/') || !seen_.insert(path).second) return;
    if (paths_.size() == kMostDirectories) return system_.NoteUnread(path, base::Unread::kTooMuch);
    paths_.push_back(std::move(path));
  }
  void AddPattern(std::string_view pattern) {
    std::vector<std::string> paths = {"/"};
    for (const std::string& part : base::SplitWords(pattern, "/")) {
      std::vector<std::string> next;
      for (const std::string& path : paths) {
        if (part.find('*') == std::string::npos) {
          next.push_back(JoinPath(path, part));
          continue;
        }
        const auto entries = system_.List(path);
        if (!entries) continue;
        for (const auto& entry : *entries) {
          if (entry.type != FileType::kRegular && base::MatchesPattern(part, entry.name)) {
            next.push_back(JoinPath(path, entry.name));
          }
        }
      }
      paths = std::move(next);
    }
    for (const std::string& path : paths) Add(path);
  }
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  const system::System& system_;
  std::set<std::string> seen_;
  std::vector<std::string> paths_;
};

Directories WhereToLook(const Surroundings& around) {
  Directories directories(around.system);
  const auto variable = [&](const char* name) {
    const auto found = around.environment.find(name);
    return found == around.environment.end() ? std::string() : found->second;
  };
  for (const std::string& element : base::SplitWords(variable("LD_LIBRARY_PATH"), ":;")) {
    directories.Add(element);
  }
  if (const auto file = around.system.Open("/etc/ld.so.cache"); file && file->bytes) {
    if (const auto cache = binfmt::ReadLdCache(*file->bytes)) {
      for (const binfmt::LdCacheEntry& entry : cache->entries) {
        for (const std::string_view family : kFamilies) {
          if (entry.name.starts_with(family)) directories.Add(base::DirName(entry.path));
        }
      }
    }
  }
  if (const std::string conda = variable("CONDA_PREFIX"); conda.starts_with('/')) {
    for (const char* below : {"lib", "lib/stubs", "cuda-compat"}) directories.Add(JoinPath(conda, below));
  }
  for (const std::string_view pattern : knowledge::UsualDirectories()) directories.AddPattern(pattern);
  for (const std::string_view pattern : kMoreDirectories) directories.AddPattern(pattern);
  return directories;
}

// A component of a path, so that "/compat" does not fit "/compatible".
bool Has(const std::string& path, std::string_view component) {
  return (path + "/").find("/" + std::string(component) + "/") != std::string::npos;
}

DriverLibraryKind KindOf(const std::string& directory, const std::string& real_path) {
  const std::string real_directory(base::DirName(real_path));
  const auto either = [&](std::string_view part) {
    return Has(directory, part) || Has(real_directory, part);
  };
  if (either("stubs")) return DriverLibraryKind::kStub;
  if (either("compat") || either("cuda-compat")) return DriverLibraryKind::kCompat;
  if (directory.starts_with("/usr/lib/wsl/") || real_directory.starts_with("/usr/lib/wsl/"))
    return DriverLibraryKind::kWsl;
  if (either("tegra") || real_directory.ends_with("-linux-gnu/nvidia")) return DriverLibraryKind::kTegra;
  return directory.starts_with("/usr/local/nvidia/") ? DriverLibraryKind::kContainer
                                                     : DriverLibraryKind::kDriver;
}

// "libcuda.so.580.95.05" -> "580.95.05". "1" and "1.1" (WSL, Jetson) are no versions of a driver.
std::string VersionInName(std::string_view file, std::string_view family) {
  if (!file.starts_with(family) || file.size() <= family.size() + 1) return "";
  const std::string_view text = file.substr(family.size() + 1);
  const auto version = base::Version::Parse(text);
  return version && version->parts.size() >= 2 && version->part(0) >= 100 ? std::string(text) : "";
}

// The note of a forward-compatibility library: JSON whose list "Driver" names the branches of kernel modules
// that it may sit on. Only the numbers of that list are taken.
std::vector<uint32_t> CompatBranches(const system::System& system, const std::string& path) {
  std::vector<uint32_t> branches;
  const auto file = system.Open(path);
  if (!file || !file->bytes) return branches;
  const auto note = binfmt::ReadElfSection(*file->bytes, ".note.cuda.fwd_compatibility", 64 * 1024);
  if (!note) return branches;
  const size_t key = note->find("\"Driver\"");
  const size_t open = key == std::string::npos ? key : note->find('[', key);
  const size_t close = open == std::string::npos ? open : note->find(']', open);
  if (close == std::string::npos) return branches;
  for (const std::string& word : base::SplitWords(note->substr(open + 1, close - open - 1), ", \t\n\"")) {
    const auto number = base::Version::Parse(word);
    if (number) branches.push_back(number->part(0));
  }
  return branches;
}

// The names of one family in one directory, each real file once: under the name that programs ask for.
void AddFamily(const system::System& system, const std::string& directory, std::string_view family,
               std::vector<std::string> names, std::vector<DriverLibrary>& libraries) {
  const std::string soname = std::string(family) + ".1";
  std::ranges::sort(names, {}, [&](const std::string& name) {
    return std::pair(name == soname ? 0 : name == family ? 2 : 1, name);
  });
  std::set<std::string> seen;
  for (const std::string& name : names) {
    DriverLibrary library{.name = name, .path = JoinPath(directory, name)};
    if (const auto real = system.RealPath(library.path)) {
      if (!seen.insert(*real).second) continue;
      library.real_path = *real;
      library.version = VersionInName(base::BaseName(*real), family);
      if (const auto status = system.Stat(*real)) library.size = status->size;
    } else if (name != soname) {
      continue;  // a broken development link harms nobody at run time
    }
    library.kind = KindOf(directory, library.real_path);
    if (library.kind == DriverLibraryKind::kCompat && family == "libcuda.so" && library.size > 0) {
      library.compat_branches = CompatBranches(system, library.real_path);
    }
    libraries.push_back(std::move(library));
  }
}

}  // namespace

std::vector<DriverLibrary> CollectDriverLibraries(const Surroundings& around) {
  std::vector<DriverLibrary> libraries;
  std::set<std::string> looked_at;  // /lib and /usr/lib are mostly one
  const Directories directories = WhereToLook(around);
  for (const std::string& directory : directories.paths()) {
    const auto real = around.system.RealPath(directory);
    if (!real || !looked_at.insert(*real).second) continue;
    const auto entries = around.system.List(*real);
    if (!entries) continue;
    std::map<std::string_view, std::vector<std::string>> names;
    for (const auto& entry : *entries) {
      if (entry.type == FileType::kDirectory) continue;
      for (const std::string_view family : kFamilies) {
        if (entry.name == family || entry.name.starts_with(std::string(family) + ".")) {
          names[family].push_back(entry.name);
        }
      }
    }
    for (const std::string_view family : kFamilies) {
      if (names.contains(family)) {
        AddFamily(around.system, directory, family, names[family], libraries);
      }
    }
  }
  return libraries;
}

}  // namespace culprit::collect
