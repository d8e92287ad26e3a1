#include "collect/library/package_owner.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace culprit::collect {
namespace {

using base::BaseName;
using base::DirName;
using base::JoinPath;
using snapshot::PackageManager;
using system::System;

constexpr uint64_t kListLimit = 4 << 20;
constexpr uint64_t kStatusLimit = 64 << 20;

// Names in a directory that contain `word` and end in `ending`.
std::vector<std::string> Records(const System& system, const std::string& directory, std::string_view word,
                                 std::string_view ending) {
  std::vector<std::string> names;
  const auto entries = system.List(directory);
  if (!entries) return names;
  for (const auto& entry : *entries) {
    if (entry.name.ends_with(ending) && entry.name.find(word) != std::string::npos)
      names.push_back(entry.name);
  }
  return names;
}

// "nvidia_cudnn_cu12-9.1.0.70.dist-info" with a RECORD that lists the file.
std::optional<FoundOwner> OfPip(const System& system, const std::string& path, std::string_view word) {
  constexpr std::string_view kEnding = ".dist-info";
  std::string_view directory = DirName(path);
  for (int level = 0; level < 4 && directory.size() > 1; ++level) {
    directory = DirName(directory);
    for (const std::string& place : {std::string(directory), JoinPath(directory, "dist-info")}) {
      for (const std::string& name : Records(system, place, word, kEnding)) {
        const std::string record = JoinPath(JoinPath(place, name), "RECORD");
        const auto text = system::ReadWholeFile(system, record, kListLimit);
        if (!text || !RecordLists(*text, place, path)) continue;
        const size_t dash = name.find('-');
        if (dash == std::string::npos) continue;
        std::string package = name.substr(0, dash);
        std::ranges::replace(package, '_', '-');
        const std::string version = name.substr(dash + 1, name.size() - dash - 1 - kEnding.size());
        return FoundOwner{{PackageManager::kPip, package, version}, record};
      }
    }
  }
  return std::nullopt;
}

// PREFIX/conda-meta/NAME-VERSION-BUILD.json with the file among its "files".
std::optional<FoundOwner> OfConda(const System& system, const std::string& path, std::string_view word) {
  std::string_view prefix = DirName(path);
  for (int level = 0; level < 4 && prefix.size() > 1; ++level) {
    prefix = DirName(prefix);
    const std::string directory = JoinPath(prefix, "conda-meta");
    for (const std::string& name : Records(system, directory, word, ".json")) {
      const std::string record = JoinPath(directory, name);
      const auto text = system::ReadWholeFile(system, record, kListLimit);
      if (!text || text->find("\"" + path.substr(prefix.size() + 1) + "\"") == std::string::npos) continue;
      const size_t build = name.rfind('-');
      const size_t version = build == std::string::npos || build == 0 ? build : name.rfind('-', build - 1);
      if (version == std::string::npos || build == std::string::npos) continue;
      return FoundOwner{
          {PackageManager::kConda, name.substr(0, version), name.substr(version + 1, build - version - 1)},
          record};
    }
  }
  return std::nullopt;
}

std::string DpkgVersion(const System& system, const std::string& package) {
  const auto status = system::ReadWholeFile(system, "/var/lib/dpkg/status", kStatusLimit);
  if (!status) return "";
  const std::string head = "Package: " + package + "\n";
  size_t at = status->starts_with(head) ? 0 : status->find("\n" + head);
  if (at == std::string::npos) return "";
  const size_t end = status->find("\n\n", at + 1);
  const std::string_view paragraph =
      std::string_view(*status).substr(at, end == std::string::npos ? end : end - at);
  constexpr std::string_view kVersion = "\nVersion: ";
  at = paragraph.find(kVersion);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = paragraph.substr(at + kVersion.size());
  return std::string(rest.substr(0, rest.find('\n')));
}

// /var/lib/dpkg/info/NAME.list or NAME:ARCH.list with a line that is the path. With a merged /usr the list
// may still say /lib.
std::optional<FoundOwner> OfDpkg(const System& system, const std::string& path, std::string_view word) {
  const std::string directory = "/var/lib/dpkg/info";
  for (const std::string& name : Records(system, directory, word, ".list")) {
    const std::string record = JoinPath(directory, name);
    const auto text = system::ReadWholeFile(system, record, kListLimit);
    if (!text) continue;
    const bool listed = ("\n" + *text).find("\n" + path + "\n") != std::string::npos ||
                        (path.starts_with("/usr/lib") &&
                         ("\n" + *text).find("\n" + path.substr(4) + "\n") != std::string::npos);
    if (!listed) continue;
    std::string package = name.substr(0, name.size() - std::string_view(".list").size());
    package = package.substr(0, package.find(':'));
    return FoundOwner{{PackageManager::kDpkg, package, DpkgVersion(system, package)}, record};
  }
  return std::nullopt;
}

}  // namespace

bool RecordLists(std::string_view record, const std::string& directory, const std::string& path) {
  if (BaseName(directory) == "dist-info") {
    return record.find("/" + std::string(BaseName(path)) + ",") != std::string_view::npos;
  }
  if (!path.starts_with(directory + "/")) return false;
  const std::string line = path.substr(directory.size() + 1) + ",";
  return record.starts_with(line) || record.find("\n" + line) != std::string_view::npos;
}

FoundOwner FindOwner(const System& system, const std::string& path, std::string_view word) {
  if (auto owner = OfPip(system, path, word)) return *owner;
  if (auto owner = OfConda(system, path, word)) return *owner;
  if (system.platform() == base::Platform::kWindows) return {};
  if (auto owner = OfDpkg(system, path, word)) return *owner;
  if (path.starts_with("/usr/lib") || path.starts_with("/lib")) {
    for (const char* database : {"/var/lib/rpm", "/usr/lib/sysimage/rpm"}) {
      const auto entries = system.List(database);
      if (entries && !entries->empty()) return {{PackageManager::kRpm, "", ""}, database};
    }
  }
  return {};
}

}  // namespace culprit::collect
