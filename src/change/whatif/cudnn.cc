// A release of cuDNN outside of Python: every part that the tables name, its links, the headers that a build
// beside it uses, and what dpkg records of it. Files of other releases of that major in the directory go, as
// package managers do it.
#include "knowledge/cudnn.h"

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "base/windows/path.h"
#include "change/whatif/claims.h"
#include "change/whatif/make.h"

namespace culprit::whatif {
namespace {

using base::JoinPath;
using system::ChangedNode;
using system::FileType;
using system::System;
using system::SystemChanges;

constexpr uint64_t kTextLimit = 64 << 20;
constexpr const char* kInfo = "/var/lib/dpkg/info";
constexpr const char* kStatus = "/var/lib/dpkg/status";

// One release for one CUDA in one directory.
struct Release {
  base::Version version;  // three numbers
  std::string text;       // "9.14.0"
  std::string cuda;       // "12"
  std::string directory;  // as it really is
};

ChangedNode Text(std::string text) { return {.bytes = std::move(text), .target = {}}; }

// cuDNN 9 compresses its kernels and takes zlib from the system (file lists and DT_NEEDED of its packages).
std::vector<std::string> Needed(const Release& release, std::string_view part) {
  if (release.version.part(0) < 9 || part == "shim") return {};
  std::vector<std::string> needed = {"libz.so.1"};
  if (part != "graph") needed.insert(needed.begin(), "libcudnn_graph.so.9");
  if (part == "cnn" || part == "adv") needed.insert(needed.begin(), "libcudnn_ops.so.9");
  return needed;
}

void PutPart(const System& machine, const Release& release, const knowledge::CudnnPart& part,
             SystemChanges& made) {
  Claims claims;
  if (machine.platform() == base::Platform::kWindows) {
    const std::string path = JoinPath(release.directory, part.windows);
    ClaimVersion(std::string(part.windows), release.text, claims);
    made.put[path] = {.bytes = FileBytes(machine, path, claims), .target = {}, .mode = 0755};
    return;
  }
  const std::string soname(part.linux);
  const std::string stem = soname.substr(0, soname.find(".so.") + 4);
  ClaimVersion(soname, release.text, claims);
  claims.soname = soname;
  claims.needed = Needed(release, part.name);
  claims.runpath = "$ORIGIN";
  // The name of the cuBLAS that it opens stands in it, and tells for which CUDA it was built.
  if (part.name == "adv" && !release.cuda.empty()) claims.opens = {"libcublasLt.so." + release.cuda};
  const std::string numbered = stem + release.text;
  // Another file of this part and major would be linked again by ldconfig.
  if (const auto entries = machine.List(release.directory)) {
    for (const auto& entry : *entries) {
      if (entry.name.starts_with(soname + ".") && entry.name != numbered)
        made.removed.insert(JoinPath(release.directory, entry.name));
    }
  }
  const std::string path = JoinPath(release.directory, numbered);
  made.put[path] = {.bytes = FileBytes(machine, path, claims), .target = {}, .mode = 0644};
  made.put[JoinPath(release.directory, soname)] = {.type = FileType::kLink, .bytes = {}, .target = numbered};
}

// Headers belong to the release that libcudnn.so leads to.
void PutHeaders(const System& machine, const Release& release, SystemChanges& made) {
  const std::string major = std::to_string(release.version.part(0));
  const auto link = machine.ReadLink(JoinPath(release.directory, "libcudnn.so"));
  const bool builds = link && base::BaseName(*link).starts_with("libcudnn.so." + major);
  if (!builds) return;
  const std::string above(base::DirName(release.directory));
  std::vector<std::string> places = {JoinPath(above, "include")};
  if (release.directory.starts_with("/usr/lib")) {
    places = {"/usr/include", "/usr/include/" + std::string(base::BaseName(release.directory))};
  }
  std::string text;
  constexpr const char* kWords[] = {"MAJOR", "MINOR", "PATCHLEVEL"};
  for (size_t i = 0; i < 3; ++i) {
    text += "#define CUDNN_" + std::string(kWords[i]) + " " + std::to_string(release.version.part(i)) + "\n";
  }
  bool had = false;
  for (const std::string& place : places) {
    for (const std::string& name : {std::string("cudnn_version.h"), "cudnn_version_v" + major + ".h"}) {
      const auto real = machine.RealPath(JoinPath(place, name));
      if (real) made.put[*real] = Text(text);
      had |= real.has_value();
    }
  }
  if (!had) made.put[JoinPath(places.front(), "cudnn_version.h")] = Text(text);
}

std::string PackageName(const Release& release) {
  const std::string major = std::to_string(release.version.part(0));
  return "libcudnn" + major + (release.version.part(0) < 9 ? "" : "-cuda-" + release.cuda);
}

// dpkg's list of the files, and its paragraph, in place of those of the package that was there.
void PutRecords(const System& machine, const Release& release, SystemChanges& made) {
  const auto lists = machine.List(kInfo);
  if (!lists || release.cuda.empty() || !release.directory.starts_with("/usr/lib/")) return;
  const std::string package = PackageName(release);
  const std::string family = "libcudnn" + std::to_string(release.version.part(0));
  std::vector<std::string> gone = {package};
  for (const auto& entry : *lists) {
    const bool runtime = entry.name.starts_with(family) && entry.name.ends_with(".list") &&
                         entry.name.find("-dev") == std::string::npos &&
                         entry.name.find("headers") == std::string::npos;
    if (!runtime) continue;
    made.removed.insert(JoinPath(kInfo, entry.name));
    gone.push_back(entry.name.substr(0, entry.name.find_first_of(":.")));
  }
  std::string list = "/.\n";
  for (const auto& [path, node] : made.put) {
    if (path.starts_with(release.directory + "/")) list += path + "\n";
  }
  made.put[JoinPath(kInfo, package + ".list")] = Text(list);
  std::string status;
  const auto old = system::ReadWholeFile(machine, kStatus, kTextLimit);
  std::string_view rest = old ? std::string_view(*old) : std::string_view();
  while (!rest.empty()) {
    const size_t end = rest.find("\n\n");
    const std::string_view paragraph = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
    const bool goes = std::ranges::any_of(gone, [&](const std::string& name) {
      return base::Trim(paragraph).starts_with("Package: " + name + "\n");
    });
    if (!goes) status.append(paragraph).append("\n\n");
  }
  const auto rows = knowledge::FindCudnn(release.version);
  const std::string build(rows.empty() || rows.back()->build.empty() ? release.text
                                                                     : std::string(rows.back()->build));
  status += "Package: " + package + "\nStatus: install ok installed\nVersion: " + build + "-1" +
            (release.version.part(0) < 9 ? "+cuda" + release.cuda : "") + "\n";
  made.put[kStatus] = Text(status);
}

}  // namespace

Changes Make(const System& machine, const report::InstallCudnn& change) {
  auto version = base::Version::Parse(change.version);
  if (!version || change.directory.empty()) {
    return base::Fail(base::ErrorCode::kUnsupported,
                      "cuDNN \"" + base::Printable(change.version) + "\": release or location unknown");
  }
  version->parts.resize(3);
  const auto parts = knowledge::PartsOf(*version);
  if (parts.empty()) {
    return base::Fail(base::ErrorCode::kUnsupported,
                      "the files of cuDNN " + version->ToString() + " are not known");
  }
  const Release release{.version = *version,
                        .text = version->ToString(),
                        .cuda = change.cuda.substr(0, change.cuda.find('.')),
                        .directory = machine.RealPath(change.directory).value_or(change.directory)};
  SystemChanges made;
  for (const knowledge::CudnnPart* part : parts) PutPart(machine, release, *part, made);
  if (machine.platform() == base::Platform::kWindows) return made;
  PutHeaders(machine, release, made);
  PutRecords(machine, release, made);
  return made;
}

}  // namespace culprit::whatif
