#include "collect/python/native_packages.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/parallel/in_parallel.h"
#include "base/python/package_name.h"
#include "base/text.h"
#include "binfmt/elf/elf.h"
#include "binfmt/elf/sections.h"
#include "binfmt/pe/pe.h"
#include "collect/python/frameworks.h"
#include "collect/python/metadata.h"
#include "collect/python/packages.h"
#include "knowledge/libraries.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using snapshot::Framework;
using snapshot::PythonPackage;
using system::System;

constexpr uint64_t kNativeRecordLimit = uint64_t{4} << 20;
constexpr size_t kMostFiles = 2000;        // of one environment
constexpr uint64_t kSmallest = 128 << 10;  // code that computes on a GPU, or calls it in C++, is larger
constexpr size_t kLibrariesEach = 8;       // for one thread, at least

// The packages of the known frameworks, and all that they require: jax consists of several.
std::set<std::string_view> PackagesOfKnown(const std::vector<PythonPackage>& packages,
                                           const std::vector<Framework>& known) {
  std::multimap<std::string_view, const PythonPackage*> named;
  for (const PythonPackage& package : packages) named.emplace(package.name, &package);
  std::set<std::string_view> theirs;
  std::vector<std::string_view> next;
  for (const Framework& framework : known) next.push_back(framework.package);
  while (!next.empty()) {
    const std::string_view name = next.back();
    next.pop_back();
    if (!theirs.insert(name).second) continue;
    for (auto [at, end] = named.equal_range(name); at != end; ++at) {
      for (const snapshot::Requirement& requirement : at->second->requirements)
        next.push_back(requirement.name);
    }
  }
  return theirs;
}

bool IsCudaLibrary(std::string_view name) { return knowledge::FindLibrary(name) != nullptr; }

// Whether others load what a package brings: libraries of CUDA, which have rows of their own, or parts of a
// known framework (onnxruntime and onnxruntime-gpu install into one directory).
bool IsPartOfOther(const std::vector<std::string>& libraries, const std::vector<Framework>& known) {
  if (std::ranges::all_of(libraries, IsCudaLibrary, base::BaseName)) return true;
  return std::ranges::any_of(known, [&](const Framework& framework) {
    return std::ranges::any_of(libraries, [&](const std::string& library) {
      return library.starts_with(framework.directory + "/") ||
             library.starts_with(framework.directory + ".libs/") ||
             std::ranges::find(framework.libraries, library) != framework.libraries.end();
    });
  });
}

// Also true of a library that is cut off: what it held is not known, and loading it fails.
bool HasCuda(const base::ByteSource& bytes) {
  const binfmt::ElfFile elf = binfmt::ReadElf(bytes);
  using binfmt::ElfProblem;
  if (elf.problem == ElfProblem::kTooShort || elf.problem == ElfProblem::kHeadersCut ||
      elf.problem == ElfProblem::kDynamicCut || (elf.problem == ElfProblem::kNone && !elf.complete()))
    return true;
  if (elf.problem != binfmt::ElfProblem::kNone) {
    using binfmt::PeProblem;
    const binfmt::PeFile pe = binfmt::ReadPe(bytes);
    if (pe.problem == PeProblem::kHeadersCut || pe.problem == PeProblem::kSectionsCut) return true;
    if (pe.problem != PeProblem::kNone) return false;
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

// Of too many libraries those of the last packages are left out.
void LeaveOutTooMany(const System& system, std::vector<NativePackage>& packages) {
  size_t files = 0;
  for (NativePackage& package : packages) {
    files += package.libraries.size();
    if (files <= kMostFiles) continue;
    system.NoteUnread(package.site, base::Unread::kTooMuch);
    package.libraries.clear();
  }
}

void KeepLibrariesWithCuda(const System& system, std::vector<NativePackage>& packages) {
  std::vector<std::string*> paths;
  for (NativePackage& package : packages) {
    for (std::string& library : package.libraries) paths.push_back(&library);
  }
  enum class Cuda : char { kNo, kYes, kUnknown };
  std::vector<Cuda> cuda(paths.size());
  base::InParallel(paths.size(), kLibrariesEach, [&](size_t i) {
    const auto file = system.Open(*paths[i]);
    const bool denied = !file && file.error() == base::PathError::kAccess;
    cuda[i] = denied ? Cuda::kUnknown : file && file->bytes && HasCuda(*file->bytes) ? Cuda::kYes : Cuda::kNo;
  });
  // One that may not be read stays with others of its package that use CUDA, or in a package that may.
  size_t at = 0;
  for (NativePackage& package : packages) {
    const auto begin = cuda.begin() + static_cast<ptrdiff_t>(at);
    const auto end = begin + static_cast<ptrdiff_t>(package.libraries.size());
    const bool some = MattersToCuda(package.name) || std::find(begin, end, Cuda::kYes) != end;
    std::erase_if(package.libraries, [&](const std::string&) {
      const Cuda one = cuda[at++];
      return one == Cuda::kNo || !some;
    });
  }
}

// "<site>/faiss" for "<site>/faiss/_swigfaiss.so", also where the first library lies in "faiss_gpu.libs";
// "<site>/nvidia/dali" of nvidia-dali-cuda120, because other packages have directories in "nvidia" too.
std::string ModuleOf(const NativePackage& package) {
  std::string below;
  for (const std::string& library : package.libraries) {
    below = library.substr(std::min(package.site.size() + 1, library.size()));
    if (!base::Split(below, '/').front().ends_with(".libs")) break;
  }
  const std::string name = package.name + "-";
  std::string directory, namespaces;
  for (const std::string& part : base::Split(below, '/')) {
    namespaces += base::NormalName(part) + "-";
    if (!directory.empty() && !name.starts_with(namespaces)) break;
    directory = JoinPath(directory, part);
  }
  return JoinPath(package.site, directory);
}

}  // namespace

std::vector<NativePackage> NativePackages(const std::vector<SiteDirectory>& sites,
                                          const std::vector<PythonPackage>& packages) {
  std::vector<NativePackage> natives;
  std::set<std::string_view> seen;
  for (const PythonPackage& package : packages) {
    const std::string_view site = base::DirName(package.record);
    const bool listed = std::ranges::find(sites, site, &SiteDirectory::path) != sites.end();
    if (!listed || !package.record.ends_with(".dist-info") || IsOfKnownFramework(package.name)) continue;
    if (seen.insert(package.name).second)
      natives.push_back({package.name, package.version, package.record, std::string(site)});
  }
  return natives;
}

void ReadLibraries(const System& system, NativePackage& package) {
  // WHEEL does not tell: libraries that are data of a package are in wheels for any platform, too.
  const auto record = system::ReadWholeFile(system, JoinPath(package.record, "RECORD"), kNativeRecordLimit);
  if (!record) return;
  package.only_libraries = record->find(".py,") == std::string::npos;
  for (const RecordLine& line : SharedLibrariesOf(*record, system.platform())) {
    if (!line.size || *line.size >= kSmallest)
      package.libraries.push_back(base::CleanPath(JoinPath(package.site, line.path)));
  }
}

std::vector<Framework> ThoseWithCuda(const System& system, std::vector<NativePackage> natives,
                                     const std::vector<PythonPackage>& packages,
                                     const std::vector<Framework>& known) {
  const std::set<std::string_view> theirs = PackagesOfKnown(packages, known);
  std::erase_if(natives, [&](const NativePackage& package) {
    return theirs.contains(package.name) || IsPartOfOther(package.libraries, known);
  });
  LeaveOutTooMany(system, natives);
  KeepLibrariesWithCuda(system, natives);
  std::vector<Framework> frameworks;
  for (NativePackage& package : natives) {
    if (package.libraries.empty()) continue;
    frameworks.push_back({.name = package.name,
                          .package = package.name,
                          .version = package.version,
                          .directory = ModuleOf(package),
                          .source = package.record,
                          .libraries = std::move(package.libraries),
                          .only_libraries = package.only_libraries});
  }
  return frameworks;
}

}  // namespace culprit::collect
