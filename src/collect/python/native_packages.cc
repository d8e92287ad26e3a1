#include "collect/python/native_packages.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "binfmt/elf/elf.h"
#include "binfmt/elf/sections.h"
#include "binfmt/pe/pe.h"
#include "collect/python/metadata.h"
#include "knowledge/libraries.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using snapshot::Framework;
using snapshot::PythonPackage;
using system::System;

constexpr uint64_t kWheelLimit = uint64_t{64} << 10;
constexpr uint64_t kNativeRecordLimit = uint64_t{4} << 20;
constexpr size_t kMostFiles = 2000;         // of one environment
constexpr uint64_t kSmallest = 16 << 10;    // a library that is smaller neither computes nor loads much

// What these bring is loaded by the frameworks and libraries that have rows of their own.
constexpr std::array<std::string_view, 13> kPartsOfOthers = {
    "nvidia-*", "cuda-*",  "jax*",  "tensorrt*", "tensorflow*", "cupy*", "cudnn*",
    "libcudnn*", "triton*", "mxnet*", "onnxruntime*", "paddlepaddle*", "ctranslate2*"};

bool IsPartOfOther(const PythonPackage& package, const std::vector<Framework>& known) {
  const auto matches = [&](std::string_view pattern) { return base::MatchesPattern(pattern, package.name); };
  return std::ranges::any_of(kPartsOfOthers, matches) ||
         std::ranges::find(known, package.name, &Framework::package) != known.end();
}

bool IsCudaLibrary(std::string_view name) { return knowledge::FindLibrary(name) != nullptr; }

bool HasCuda(const base::ByteSource& bytes) {
  const binfmt::ElfFile elf = binfmt::ReadElf(bytes);
  if (elf.problem != binfmt::ElfProblem::kNone) {
    const binfmt::PeFile pe = binfmt::ReadPe(bytes);
    if (pe.problem != binfmt::PeProblem::kNone) return false;
    const auto cuda = [](const binfmt::PeImport& import) { return IsCudaLibrary(import.dll); };
    return std::ranges::any_of(pe.imports, cuda) || std::ranges::any_of(pe.delay_imports, cuda) ||
           std::ranges::any_of(pe.sections, [](const auto& section) { return section.name == ".nv_fatb"; });
  }
  if (std::ranges::any_of(elf.requests, IsCudaLibrary, &binfmt::ElfRequest::name)) return true;
  binfmt::ElfReader reader(bytes);
  reader.SetFormat(elf.bits(), elf.big_endian());
  const auto header = reader.Header();
  const auto sections = header ? binfmt::ReadElfSections(reader, *header) : std::nullopt;
  return sections && std::ranges::any_of(*sections, [](const auto& section) {
           return section.name == ".nv_fatbin" || section.name == "__nv_relfatbin";
         });
}

class Search {
 public:
  explicit Search(const System& system) : system_(system) {}

  // The libraries of the package that have CUDA.
  std::vector<std::string> Of(const PythonPackage& package, const std::string& site) {
    std::vector<std::string> found;
    const auto wheel = system::ReadWholeFile(system_, JoinPath(package.record, "WHEEL"), kWheelLimit);
    if (!wheel || wheel->find("Root-Is-Purelib: true") != std::string::npos) return found;
    const auto record = system::ReadWholeFile(system_, JoinPath(package.record, "RECORD"), kNativeRecordLimit);
    if (!record) return found;
    for (const RecordLine& line : SharedLibrariesOf(*record, system_.platform())) {
      if (line.size && *line.size < kSmallest) continue;
      if (files_++ == kMostFiles) system_.NoteUnread(site, base::Unread::kTooMuch);
      if (files_ > kMostFiles) break;
      const std::string path = base::CleanPath(JoinPath(site, line.path));
      const auto file = system_.Open(path);
      if (file && file->bytes && HasCuda(*file->bytes)) found.push_back(path);
    }
    return found;
  }

 private:
  const System& system_;
  size_t files_ = 0;
};

// "<site>/faiss" for "<site>/faiss/_swigfaiss.so", also where the first library lies in "faiss_gpu.libs".
std::string ModuleOf(const std::string& site, const std::vector<std::string>& libraries) {
  std::string directory;
  for (const std::string& library : libraries) {
    const std::string below = library.substr(std::min(site.size() + 1, library.size()));
    directory = JoinPath(site, below.substr(0, below.find('/')));
    if (!directory.ends_with(".libs")) break;
  }
  return directory;
}

}  // namespace

std::vector<Framework> PackagesWithCuda(const System& system, const std::vector<SiteDirectory>& sites,
                                        const std::vector<PythonPackage>& packages,
                                        const std::vector<Framework>& known) {
  std::vector<Framework> frameworks;
  Search search(system);
  for (const PythonPackage& package : packages) {
    const std::string site(base::DirName(package.record));
    const bool listed = std::ranges::find(sites, site, &SiteDirectory::path) != sites.end();
    if (!listed || !package.record.ends_with(".dist-info") || IsPartOfOther(package, known)) continue;
    if (std::ranges::find(frameworks, package.name, &Framework::name) != frameworks.end()) continue;
    std::vector<std::string> libraries = search.Of(package, site);
    if (libraries.empty()) continue;
    frameworks.push_back({.name = package.name,
                          .package = package.name,
                          .version = package.version,
                          .directory = ModuleOf(site, libraries),
                          .source = package.record,
                          .libraries = std::move(libraries)});
  }
  return frameworks;
}

}  // namespace culprit::collect
