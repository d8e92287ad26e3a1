// Finds a row by file name, and decides whether a dlopen happens in a given version. The rows are generated.
#include "knowledge/libraries.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/version.h"
#include "base/windows/path.h"
#include "knowledge/libraries_table.h"

namespace culprit::knowledge {
namespace {

constexpr std::string_view kSo = ".so";
constexpr std::string_view kDll = ".dll";
constexpr size_t kShortestHash = 8;  // auditwheel adds the first eight hexadecimal digits of a SHA-256

const LibraryName* FindName(std::string_view name) {
  const auto names = LibraryNames();
  const auto at = std::ranges::lower_bound(names, name, {}, &LibraryName::name);
  return at != names.end() && at->name == name ? &*at : nullptr;
}

// "libcudnn-1a2b3c4d" -> "libcudnn"; empty if there is no hash at the end.
std::optional<std::string_view> WithoutHash(std::string_view stem) {
  const size_t dash = stem.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view hash = stem.substr(dash + 1);
  if (hash.size() < kShortestHash) return std::nullopt;
  if (hash.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  return stem.substr(0, dash);
}

// Removes one number after another from the end of the name. `so` is where ".so" ends. The bare name matches
// a version that no soname starts with only if the library's file numbers differ from its soname.
const LibraryName* FindVersioned(std::string_view name, size_t so) {
  const std::string_view bare = name.substr(0, so);
  const auto names = LibraryNames();
  const auto first = std::ranges::lower_bound(names, bare, {}, &LibraryName::name);
  if (first == names.end() || !first->name.starts_with(bare)) return nullptr;  // nearly always
  if (const LibraryName* found = FindName(name)) return found;
  if (name.find_first_not_of(".0123456789", so) != std::string_view::npos) return nullptr;
  while (name.size() > so) {
    name = name.substr(0, name.rfind('.'));
    const LibraryName* found = FindName(name);
    if (found != nullptr && (name.size() > so || found->any_version)) return found;
  }
  return nullptr;
}

std::optional<size_t> FindDll(std::string_view lower) {
  if (const LibraryName* found = FindName(lower)) return found->row;
  for (const DllPattern& pattern : DllPatterns()) {
    if (lower.size() <= pattern.front.size() + pattern.back.size()) continue;
    if (!lower.starts_with(pattern.front) || !lower.ends_with(pattern.back)) continue;
    const std::string_view number =
        lower.substr(pattern.front.size(), lower.size() - pattern.front.size() - pattern.back.size());
    if (number.find_first_not_of("0123456789._") == std::string_view::npos) return pattern.row;
  }
  return std::nullopt;
}

const Library* FindWindowsLibrary(const std::string& lower) {
  auto row = FindDll(lower);
  if (!row) {
    const auto stem = WithoutHash(std::string_view(lower).substr(0, lower.size() - kDll.size()));
    if (stem) row = FindDll(std::string(*stem) + std::string(kDll));
  }
  return row ? &Libraries()[*row] : nullptr;
}

}  // namespace

bool IsNameOf(const Library& library, std::string_view file_name) {
  if (std::ranges::find(library.sonames, file_name) != library.sonames.end()) return true;
  return std::ranges::any_of(library.dlls,
                             [&](std::string_view dll) { return base::SameName(dll, file_name); });
}

const Library* FindLibrary(std::string_view file_name) {
  const std::string_view ending =
      file_name.substr(file_name.size() - std::min(file_name.size(), kDll.size()));
  if (base::FoldCase(ending) == kDll) return FindWindowsLibrary(base::FoldCase(file_name));
  if (!file_name.starts_with("lib") || file_name.ends_with('.')) return nullptr;
  const size_t dot = file_name.find(kSo);
  if (dot == std::string_view::npos) return nullptr;
  const size_t so = dot + kSo.size();
  if (so < file_name.size() && file_name[so] != '.') return nullptr;
  const LibraryName* found = FindVersioned(file_name, so);
  if (found == nullptr) {
    const auto stem = WithoutHash(file_name.substr(0, dot));
    if (!stem) return nullptr;
    const std::string plain = std::string(*stem) + std::string(file_name.substr(dot));
    found = FindVersioned(plain, stem->size() + kSo.size());
  }
  return found == nullptr ? nullptr : &Libraries()[found->row];
}

bool Applies(const DlopenEdge& edge, std::string_view version, std::string_view cuda) {
  if (!edge.cuda.empty()) {
    const std::string_view major = cuda.substr(0, cuda.find('.'));
    if (std::ranges::find(edge.cuda, major) == edge.cuda.end()) return false;
  }
  if (edge.since.empty() && edge.until.empty()) return true;
  const auto own = base::Version::Parse(version);
  if (!own) return false;
  if (!edge.since.empty() && *own < *base::Version::Parse(edge.since)) return false;
  return edge.until.empty() || *own < *base::Version::Parse(edge.until);
}

std::span<const std::string_view> UsualDirectories() { return AllUsualPlaces().front().directories; }
std::span<const std::string_view> UsualPythonDirectories() { return AllUsualPlaces().front().python; }
std::span<const std::string_view> UsualWindowsDirectories() { return AllUsualPlaces().front().windows; }
std::span<const std::string_view> UsualWindowsPythonDirectories() {
  return AllUsualPlaces().front().windows_python;
}

}  // namespace culprit::knowledge
