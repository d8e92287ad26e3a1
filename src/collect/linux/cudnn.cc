// Collector of cuDNN: every copy on the machine, by directory and major version; its parts, whether its
// symlinks are intact, which CUDA it was built for, and who installed it. A directory counts once, however
// many symlinks lead to it.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "collect/library/cudnn_copy.h"
#include "collect/library/package_owner.h"
#include "collect/linux/library_places.h"
#include "collect/live_file_view.h"
#include "collect/stack.h"
#include "knowledge/libraries.h"

namespace culprit::collect {
namespace {

using base::BaseName;
using base::DirName;
using base::JoinPath;
using base::PathError;
using snapshot::CudnnCopy;
using snapshot::CudnnPart;
using snapshot::FileFacts;
using snapshot::PartProblem;

constexpr std::string_view kPrefix = "libcudnn";

constexpr std::array<std::string_view, 25> kCudnnReads = {
    "/etc/ld.so.cache",
    "$usual",
    "$cached",
    "$LD_LIBRARY_PATH",
    "$CUDA_HOME/lib*",
    "$CUDA_PATH/lib*",
    "$CUDNN_PATH/lib*",
    "$CUDNN_HOME/lib*",
    "$CUDNN_ROOT/lib*",
    "$CONDA_PREFIX/lib",
    "$VIRTUAL_ENV/lib",
    "$prefix/lib",
    // in those directories, and wherever their symlinks lead
    "/**/libcudnn*",
    "/etc/alternatives/cuda*",
    "/**/include/cudnn*.h",
    "/usr/include/*-linux-gnu/cudnn*.h",
    // who installed them: records in the directories above
    "/**/dist-info",
    "/**/*.dist-info/RECORD",
    "/**/conda-meta",
    "/**/conda-meta/*",
    "/**/version.json",
    "/var/lib/dpkg/info/*.list",
    "/var/lib/dpkg/status",
    "/var/lib/rpm",
    "/usr/lib/sysimage/rpm",
};

// File names in one directory, for one major version, by their soname.
using PartNames = std::map<std::string, std::vector<std::string>>;

// "libcudnn_ops.so.9" for "libcudnn_ops.so.9.19.0" and for "libcudnn-0a1b2c3d.so.9.1.0"; nullopt for a name
// without a number.
std::optional<std::pair<uint32_t, std::string>> SonameOf(std::string_view name) {
  const size_t so = name.find(".so.");
  if (!name.starts_with(kPrefix) || so == std::string_view::npos) return std::nullopt;
  const auto version = base::Version::Parse(name.substr(so + 4));
  if (!version) return std::nullopt;
  const knowledge::Library* library = knowledge::FindLibrary(name);
  if (library == nullptr || library->family != "cudnn") return std::nullopt;
  const std::string soname = "lib" + std::string(library->name) + ".so." + std::to_string(version->part(0));
  return std::pair(version->part(0), soname);
}

PartProblem ProblemOf(const FileFacts& facts, const system::System& system, const std::string& path) {
  using enum PartProblem::Kind;
  if (facts.dangling) return {kDangling, system.ReadLink(path).value_or("?")};
  if (facts.error == PathError::kLoop) return {kLinkLoop, system.ReadLink(path).value_or("?")};
  if (facts.error != PathError::kNone) return {kOther, std::string(base::Strerror(facts.error))};
  if (facts.kind != snapshot::FileKind::kRegular) return kNotAFile;
  if (facts.size == 0) return kEmpty;
  if (facts.elf == nullptr) return {};
  using binfmt::ElfProblem;
  if (facts.elf->problem == ElfProblem::kNotElf) return kNotALibrary;
  if (!facts.elf->complete() || facts.elf->problem == ElfProblem::kTooShort ||
      facts.elf->problem == ElfProblem::kHeadersCut || facts.elf->problem == ElfProblem::kDynamicCut) {
    return kCutShort;
  }
  return {};
}

class CudnnReader {
 public:
  CudnnReader(const Surroundings& around, LiveFileView& view) : system_(around.system), view_(view) {}

  std::optional<std::vector<CudnnCopy>> ReadDirectory(const std::string& directory);

 private:
  CudnnCopy ReadCopy(const std::string& directory, uint32_t major, const PartNames& names);
  CudnnPart ReadPart(const std::string& directory, const std::string& soname,
                     const std::vector<std::string>& names);
  void AddBrokenDevelopmentLink(const std::string& directory, std::vector<CudnnCopy>& copies);
  void ReadHeader(CudnnCopy& copy);

  const system::System& system_;
  LiveFileView& view_;
};

CudnnPart CudnnReader::ReadPart(const std::string& directory, const std::string& soname,
                                const std::vector<std::string>& names) {
  const bool named = std::ranges::find(names, soname) != names.end();
  CudnnPart part{.name = soname, .path = JoinPath(directory, named ? soname : names.back())};
  const FileFacts& facts = view_.Open(part.path);
  part.problem = ProblemOf(facts, system_, part.path);
  if (part.problem) return part;
  if (const auto version = view_.Version(part.path)) part.version = version->version;
  // auditwheel renames on purpose: programs ask for "libcudnn-0a1b2c3d.so.9" by that name.
  const bool renamed = !BaseName(part.path).starts_with(soname);
  if (!named && !renamed) part.problem = {PartProblem::Kind::kNoSoname, soname};
  if (!named || view_.RealPath(part.path) != JoinPath(view_.RealPath(directory), soname)) return part;
  for (const std::string& name : names) {
    if (name == soname) continue;
    const FileFacts& other = view_.Open(JoinPath(directory, name));
    if (other.error != PathError::kNone || other.id == facts.id || other.kind != facts.kind) continue;
    const auto other_version = view_.Version(JoinPath(directory, name));
    const std::string text = other_version ? other_version->version : "";
    if (text == part.version && other.size == facts.size) continue;  // a copy instead of a symlink
    part.problem = {PartProblem::Kind::kSecondFile, name + (text.empty() ? "" : ", which is " + text)};
  }
  return part;
}

// "libcudnn.so" without a number is for builds; it is reported only when it is broken.
void CudnnReader::AddBrokenDevelopmentLink(const std::string& directory, std::vector<CudnnCopy>& copies) {
  const std::string path = JoinPath(directory, "libcudnn.so");
  const FileFacts& facts = view_.Open(path);
  if (!facts.dangling && facts.error != PathError::kLoop) return;
  copies.back().parts.push_back(
      {.name = "libcudnn.so", .path = path, .version = "", .problem = ProblemOf(facts, system_, path)});
}

void CudnnReader::ReadHeader(CudnnCopy& copy) {
  const std::string real = view_.RealPath(copy.directory);
  std::vector<std::string> places;
  const std::string_view above = DirName(real);
  if (above == "/usr/lib") places.push_back("/usr/include/" + std::string(BaseName(real)));  // a triplet
  places.push_back(real.starts_with("/usr/lib") || real.starts_with("/lib") ? "/usr/include"
                                                                            : JoinPath(above, "include"));
  if (DirName(copy.directory) != above) places.push_back(JoinPath(DirName(copy.directory), "include"));
  const std::string number = std::to_string(copy.major);
  ReadCudnnHeader(system_, places,
                  std::array<std::string, 4>{"cudnn_version.h", "cudnn.h", "cudnn_version_v" + number + ".h",
                                             "cudnn_v" + number + ".h"},
                  copy);
}

CudnnCopy CudnnReader::ReadCopy(const std::string& directory, uint32_t major, const PartNames& names) {
  CudnnCopy copy{.directory = directory, .major = major};
  CudnnVersionVotes votes;
  for (const auto& [soname, files] : names) {
    copy.parts.push_back(ReadPart(directory, soname, files));
    const CudnnPart& part = copy.parts.back();
    const FileFacts& facts = view_.Open(part.path);
    if (facts.elf != nullptr && copy.machine.empty() && facts.elf->bits() != 0) {
      copy.machine = binfmt::MachineName(facts.elf->machine);
    }
    votes.Add(part, view_.Version(part.path), copy);
  }
  const std::string real = view_.RealPath(copy.parts.front().path);
  const auto [owner, record] = FindOwner(system_, real, "cudnn");
  copy.owner = owner;
  constexpr std::string_view kCudaInName = "-cuda-";  // libcudnn9-cuda-12
  if (const size_t at = owner.package.find(kCudaInName); copy.cuda.empty() && at != std::string::npos) {
    copy.cuda = owner.package.substr(at + kCudaInName.size());
    copy.cuda_source = record;
  }
  if (const size_t at = owner.version.find("+cuda"); copy.cuda.empty() && at != std::string::npos) {
    copy.cuda = owner.version.substr(at + 5);  // libcudnn8 8.9.7.29-1+cuda12.2
    copy.cuda_source = record;
  }
  ReadHeader(copy);
  NoteMissingParts(
      "libcudnn.so." + std::to_string(major), &knowledge::Library::opens,
      [](const knowledge::Library& part, std::string_view asked) {
        return std::string(std::ranges::find(part.sonames, asked) == part.sonames.end() ? "" : asked);
      },
      copy);
  return copy;
}

std::optional<std::vector<CudnnCopy>> CudnnReader::ReadDirectory(const std::string& directory) {
  const auto items = view_.List(directory);
  if (!items) return std::nullopt;
  std::vector<CudnnCopy> copies;
  std::map<uint32_t, PartNames> majors;
  bool development_link = false;
  for (const auto& item : *items) {
    if (!item.name.starts_with(kPrefix)) continue;
    development_link |= item.name == "libcudnn.so";
    if (const auto soname = SonameOf(item.name)) majors[soname->first][soname->second].push_back(item.name);
  }
  for (const auto& [major, names] : majors) copies.push_back(ReadCopy(directory, major, names));
  if (development_link && !copies.empty()) AddBrokenDevelopmentLink(directory, copies);
  return copies;
}

}  // namespace

const CollectorInfo kCudnnCollector = {"cudnn", kCudnnReads};

snapshot::Fact<std::vector<CudnnCopy>> CollectCudnn(
    const Surroundings& around, std::span<const snapshot::PythonEnvironment> environments) {
  LiveFileView places(around.system);
  return CopiesIn(around.system, LibraryPlaces(around, environments, places, kPrefix),
                  [&](const std::string& directory) {
                    LiveFileView view(around.system);
                    return CudnnReader(around, view).ReadDirectory(directory);
                  });
}

}  // namespace culprit::collect
