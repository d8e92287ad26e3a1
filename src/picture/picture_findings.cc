#include "picture/picture_findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "knowledge/libraries.h"

namespace culprit::picture {
namespace {

using report::Finding;
using report::Picture;
using report::PictureLibrary;
using report::Severity;

// Families whose libraries must all be of one release.
constexpr std::array<std::string_view, 3> kOneRelease = {"cudnn", "tensorrt", "onnxruntime"};

bool IsAbout(const Finding& finding, const Picture& picture) {
  return finding.affects.empty() ||
         std::ranges::find(finding.affects, picture.title) != finding.affects.end();
}

// Whether both name the same file: bare names, or paths of Linux or Windows, since a program may ask by path.
bool IsLibrary(std::string_view name, std::string_view library) {
  const auto last = [](std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); };
  return last(name) == last(library);
}

// Whether the finding is about that library. One that is there is what it is about only as its subject: the
// other names may be those of libraries that need the subject.
bool IsAbout(const Finding& finding, const PictureLibrary& library) {
  if (IsLibrary(finding.subject, library.name)) return library.missing || !library.title.empty();
  return library.missing && std::ranges::any_of(finding.about, [&](const std::string& name) {
           return IsLibrary(name, library.name);
         });
}

void Mark(PictureLibrary& library, const Finding& finding, size_t place) {
  library.findings.push_back(place);
  if (finding.severity == Severity::kNote) return;
  (finding.severity == Severity::kError ? library.culprit : library.suspect) = true;
  if (finding.severity == Severity::kError || library.problem.empty()) library.problem = finding.summary;
}

// A directory is marked only if it has few files, such as a package. A whole environment says nothing.
bool MarkPackage(Picture& picture, const Finding& finding, size_t place) {
  constexpr size_t kMany = 12;
  std::vector<PictureLibrary*> inside;
  for (PictureLibrary& library : picture.libraries) {
    if (!library.loses && !library.system && library.path.starts_with(finding.subject + "/"))
      inside.push_back(&library);
  }
  if (finding.subject.empty() || inside.empty() || inside.size() > kMany) return false;
  for (PictureLibrary* library : inside) Mark(*library, finding, place);
  return true;
}

// The file that is the subject; else a missing library that is named; else any library that is named.
void MarkOne(Picture& picture, const Finding& finding, size_t place) {
  bool marked = false;
  for (PictureLibrary& library : picture.libraries) {
    if (library.loses || library.path.empty() || library.path != finding.subject) continue;
    Mark(library, finding, place);
    marked = true;
  }
  if (marked || MarkPackage(picture, finding, place)) return;
  for (const bool missing : {true, false}) {
    for (PictureLibrary& library : picture.libraries) {
      if (library.missing != missing || library.loses || library.name.empty()) continue;
      if (!IsAbout(finding, library)) continue;
      Mark(library, finding, place);
      marked = true;
    }
    if (marked) return;
  }
}

std::string_view FamilyOf(const PictureLibrary& library) {
  if (library.path.empty() || library.loses) return "";
  const auto* row = knowledge::FindLibrary(base::BaseName(library.path));
  return row != nullptr && std::ranges::find(kOneRelease, row->family) != kOneRelease.end()
             ? row->family
             : std::string_view();
}

// Without the build number, which not every library has.
std::optional<base::Version> ReleaseOf(const PictureLibrary& library) {
  auto version = base::Version::Parse(library.version);
  if (!version) return std::nullopt;
  version->parts.resize(3);
  return *version;
}

}  // namespace

void MarkFindings(Picture& picture, const report::CheckReport& check) {
  for (size_t i = 0; i < check.findings.size(); ++i) {
    if (IsAbout(check.findings[i], picture)) MarkOne(picture, check.findings[i], i);
  }
}

void MarkMixed(Picture& picture, const report::CheckReport& check) {
  // Compare the family with the first one loaded.
  std::map<std::string_view, base::Version> measure;
  std::vector<bool> odd(picture.libraries.size());
  for (size_t i = 0; i < picture.libraries.size(); ++i) {
    const std::string_view family = FamilyOf(picture.libraries[i]);
    const auto release = family.empty() ? std::nullopt : ReleaseOf(picture.libraries[i]);
    if (!release) continue;
    odd[i] = measure.try_emplace(family, *release).first->second != *release;
  }
  for (report::PictureEdge& edge : picture.edges) {
    const PictureLibrary& from = picture.libraries[edge.from];
    const PictureLibrary& to = picture.libraries[edge.to];
    const bool same_family = !FamilyOf(to).empty() && FamilyOf(from) == FamilyOf(to);
    if (same_family) {
      edge.mixed = odd[edge.from] != odd[edge.to];
      continue;
    }
    if (!to.culprit || to.missing || to.unloaded) continue;
    for (const size_t place : to.findings) {
      const Finding& finding = check.findings[place];
      if (finding.severity != Severity::kError || from.path.empty()) continue;
      edge.mixed |= std::ranges::find(finding.about, from.path) != finding.about.end();
    }
  }
}

}  // namespace culprit::picture
