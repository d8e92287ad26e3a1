#include "loader/glibc/directories.h"

#include <algorithm>

namespace culprit::loader {
namespace {

constexpr size_t kMostLegacyCaps = 4;  // no CPU has more; the number of combinations doubles with each

}  // namespace

SearchDirectory* DirectoryTable::Get(const std::string& name) {
  const auto known = std::ranges::find(directories_, name, &SearchDirectory::name);
  if (known != directories_.end()) return &*known;
  // Relative directories depend on the current directory, so nothing about them is remembered.
  const auto status =
      name.starts_with('/') ? SearchDirectory::Status::kUnknown : SearchDirectory::Status::kExisting;
  return &directories_.emplace_back(
      SearchDirectory{name, std::vector<SearchDirectory::Status>(subdirectories_.size(), status)});
}

DirectoryList DirectoryTable::Parse(std::string_view text, std::string_view separators,
                                    const TokenValues& values) {
  DirectoryList list;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find_first_of(separators, at), text.size());
    const std::string_view element = text.substr(at, end - at);
    at = end + 1;
    std::string name;
    if (!element.empty()) {
      name = ExpandTokens(element, values);
      if (name.empty()) continue;
      while (name.size() > 1 && name.back() == '/') name.pop_back();
      if (name.back() != '/') name += '/';
    }
    SearchDirectory* directory = Get(name);
    if (std::ranges::find(list, directory) == list.end()) list.push_back(directory);
  }
  return list;
}

DirectoryList DirectoryTable::Fixed(const std::vector<std::string>& names) {
  DirectoryList list;
  for (const std::string& name : names) list.push_back(Get(name));
  return list;
}

std::vector<std::string> HwcapsSubdirectories(const base::Cpu& cpu, int minor_version) {
  std::vector<std::string> names;
  if (minor_version >= 33) {
    for (const std::string& level : cpu.isa_levels) names.push_back("glibc-hwcaps/" + level + "/");
  }
  if (minor_version <= 36) {
    // Every combination of the legacy names, "tls" outermost, then the platform, then the capability bits.
    std::vector<std::string> parts = cpu.legacy_caps;
    parts.resize(std::min(parts.size(), kMostLegacyCaps));
    if (!cpu.platform.empty()) parts.push_back(cpu.platform);
    parts.emplace_back("tls");
    for (size_t mask = (size_t{1} << parts.size()) - 1; mask > 0; --mask) {
      std::string name;
      for (size_t i = parts.size(); i-- > 0;) {
        if ((mask >> i & 1) != 0) name += parts[i] + "/";
      }
      names.push_back(name);
    }
  }
  names.emplace_back("");
  return names;
}

}  // namespace culprit::loader
