#include "collect/python/native_packages.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/in_time.h"
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
constexpr size_t kMostFiles = 2000;        // of one environment
constexpr uint64_t kSmallest = 128 << 10;  // code that computes on a GPU, or calls it in C++, is larger
constexpr size_t kMostThreads = 8;

// What these bring is loaded by the frameworks and libraries that have rows of their own.
constexpr std::array<std::string_view, 13> kPartsOfOthers = {
    "nvidia-*",  "cuda-*",  "jax*",   "tensorrt*",    "tensorflow*",   "cupy*",       "cudnn*",
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

// The libraries of the package that are large enough to compute or to load something.
std::vector<std::string> LibrariesOf(const System& system, const PythonPackage& package,
                                     const std::string& site) {
  std::vector<std::string> libraries;
  const auto wheel = system::ReadWholeFile(system, JoinPath(package.record, "WHEEL"), kWheelLimit);
  // "Root-Is-Purelib" does not tell: a library that ctypes opens is data of a pure package.
  if (!wheel || wheel->find("-none-any\n") != std::string::npos) return libraries;
  const auto record = system::ReadWholeFile(system, JoinPath(package.record, "RECORD"), kNativeRecordLimit);
  if (!record) return libraries;
  for (const RecordLine& line : SharedLibrariesOf(*record, system.platform())) {
    if (!line.size || *line.size >= kSmallest)
      libraries.push_back(base::CleanPath(JoinPath(site, line.path)));
  }
  return libraries;
}

struct Candidate {
  const PythonPackage* package;
  std::vector<std::string> libraries;  // at last those with CUDA
};

void KeepThoseWithCuda(const System& system, Candidate& candidate) {
  std::erase_if(candidate.libraries, [&](const std::string& path) {
    const auto file = system.Open(path);
    return !file || !file->bytes || !HasCuda(*file->bytes);
  });
}

std::vector<Candidate> Candidates(const System& system, const std::vector<SiteDirectory>& sites,
                                  const std::vector<PythonPackage>& packages,
                                  const std::vector<Framework>& known) {
  std::vector<Candidate> candidates;
  std::set<std::string_view> seen;
  size_t files = 0;
  for (const PythonPackage& package : packages) {
    const std::string site(base::DirName(package.record));
    const bool listed = std::ranges::find(sites, site, &SiteDirectory::path) != sites.end();
    if (!listed || !package.record.ends_with(".dist-info") || IsPartOfOther(package, known)) continue;
    if (!seen.insert(package.name).second) continue;
    Candidate candidate{&package, LibrariesOf(system, package, site)};
    files += candidate.libraries.size();
    if (files > kMostFiles) {
      system.NoteUnread(site, base::Unread::kTooMuch);
      break;
    }
    if (!candidate.libraries.empty()) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

// Most of the time is spent waiting for files, so several threads look.
void KeepThoseWithCuda(const System& system, std::vector<Candidate>& candidates) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < candidates.size(); i = next++) KeepThoseWithCuda(system, candidates[i]);
  };
  std::vector<std::future<void>> others;
  const size_t threads =
      std::min<size_t>({kMostThreads, std::thread::hardware_concurrency(), candidates.size()});
  for (size_t i = 1; i < threads; ++i) others.push_back(base::StartAside(work));
  work();
  for (std::future<void>& other : others) other.get();
}

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
  std::vector<Candidate> candidates = Candidates(system, sites, packages, known);
  KeepThoseWithCuda(system, candidates);
  std::vector<Framework> frameworks;
  for (Candidate& candidate : candidates) {
    if (candidate.libraries.empty()) continue;
    const PythonPackage& package = *candidate.package;
    frameworks.push_back(
        {.name = package.name,
         .package = package.name,
         .version = package.version,
         .directory = ModuleOf(std::string(base::DirName(package.record)), candidate.libraries),
         .source = package.record,
         .libraries = std::move(candidate.libraries)});
  }
  return frameworks;
}

}  // namespace culprit::collect
