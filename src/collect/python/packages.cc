#include "collect/python/packages.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/bytes/sha256.h"
#include "base/parallel/in_parallel.h"
#include "base/text.h"
#include "collect/python/metadata.h"

namespace culprit::collect {
namespace {

using base::JoinPath;
using snapshot::PythonPackage;
using system::System;

constexpr uint64_t kHeadersLimit = uint64_t{1} << 20;
constexpr uint64_t kPackageRecordLimit = uint64_t{16} << 20;
constexpr size_t kMostPackages = 50'000;  // of an environment

// Whole names, or the beginning of names where they end in '*'.
constexpr std::array<std::string_view, 41> kThatMatter = {
    "accelerate",    "apex",          "auto-gptq*",
    "bitsandbytes*", "cuda-bindings", "cuda-core",
    "cuda-python",   "cuda-toolkit",  "ctranslate2*",
    "cudnn*",        "cugraph*",      "cuml*",
    "cupy*",         "cutensor*",     "deepspeed",
    "flash-attn*",   "flashinfer*",   "jax*",
    "keras*",        "libcudnn*",     "mxnet*",
    "nvidia-*",      "onnxruntime*",  "optree",
    "paddle*",       "pytorch*",      "tensorflow*",
    "tensorrt*",     "tf-keras",      "tf-nightly*",
    "torch*",        "triton*",       "vllm*",
    "xformers*",     "xgboost*",      "cuda-version",
    "lightgbm*",     "sgl-kernel*",   "transformer-engine*",
    "llvmlite",      "numba*"};

// The headers of METADATA stand at its start; the description behind them can be long.
std::string ReadHeaders(const System& system, const std::string& path) {
  const auto file = system.Open(path);
  if (!file || !file->bytes) return "";
  constexpr size_t kPiece = 16 * 1024;
  std::string text;
  while (text.size() < kHeadersLimit) {
    const size_t had = text.size();
    text.resize(had + kPiece);
    const auto read = file->bytes->ReadAt(had, std::as_writable_bytes(std::span(text).subspan(had)));
    text.resize(had + (read ? *read : 0));
    const size_t from = had < 2 ? 0 : had - 2;
    if (!read || *read < kPiece || text.find("\n\n", from) != std::string::npos ||
        text.find("\n\r\n", from) != std::string::npos) {
      break;
    }
  }
  return text;
}

std::string HashOf(const System& system, const std::string& path) {
  const auto file = system.Open(path);
  if (!file || !file->bytes) return "";
  base::Sha256 hash;
  std::string piece(size_t{1} << 18, '\0');
  for (uint64_t at = 0;;) {
    const auto read = file->bytes->ReadAt(at, std::as_writable_bytes(std::span(piece)));
    if (!read) return "";
    hash.Add(std::as_bytes(std::span(piece).first(*read)));
    at += *read;
    if (*read < piece.size()) return hash.UrlSafeBase64();
  }
}

// Files of the package that are not as its RECORD says. Only shared libraries: they are what breaks loading.
// Returns what RECORD says of them.
std::vector<RecordLine> CompareFiles(PackageSearch& search, const std::string& site, PythonPackage& package) {
  const std::string path = JoinPath(package.record, "RECORD");
  const auto record = system::ReadWholeFile(search.system, path, kPackageRecordLimit);
  if (!record) {
    // A record directory of conda or of a distribution may have none; one that is there must be readable.
    if (record.error() != base::PathError::kNoEntry) search.problems.push_back(path + " cannot be read");
    return {};
  }
  std::vector<RecordLine> libraries = SharedLibrariesOf(*record, search.system.platform());
  if (libraries.size() >= kMostLibrariesOfRecord) search.system.NoteUnread(path, base::Unread::kTooMuch);
  for (const RecordLine& line : libraries) {
    const std::string file = JoinPath(site, line.path);
    const auto status = search.system.Stat(file);
    if (!status) {
      if (status.error() == base::PathError::kNoEntry) {
        package.damaged.push_back(
            {file, snapshot::FileDamage::kMissing, line.size ? std::to_string(*line.size) : "", ""});
      } else {
        search.problems.push_back(file + " cannot be opened");
      }
      continue;
    }
    if (line.size && status->size != *line.size) {
      package.damaged.push_back(
          {file, snapshot::FileDamage::kSize, std::to_string(*line.size), std::to_string(status->size)});
    } else if (search.verify && !line.sha256.empty()) {
      const std::string actual = HashOf(search.system, file);
      if (actual.empty()) {
        search.problems.push_back(file + " cannot be read");
      } else if (actual != line.sha256) {
        package.damaged.push_back(
            {file, snapshot::FileDamage::kHash, "sha256=" + line.sha256, "sha256=" + actual});
      }
    }
  }
  return libraries;
}

std::vector<RecordLine> ReadDetails(PackageSearch& search, const SiteDirectory& site,
                                    PythonPackage& package) {
  const system::DirectoryEntry* entry = site.Find(base::BaseName(package.record));
  const bool directory = entry == nullptr || entry->type != system::FileType::kRegular;
  const bool egg = package.record.ends_with(".egg-info");
  const std::string headers = ReadHeaders(
      search.system, !directory ? package.record : JoinPath(package.record, egg ? "PKG-INFO" : "METADATA"));
  if (headers.empty()) {
    search.problems.push_back(package.record + " has no readable METADATA");
  }
  Metadata metadata = ParseMetadata(headers);
  if (headers.size() >= kHeadersLimit || metadata.requirements.size() >= kMostRequirements)
    search.system.NoteUnread(package.record, base::Unread::kTooMuch);
  if (!metadata.version.empty()) package.version = metadata.version;
  for (auto& requirement : metadata.requirements) {
    // What was compiled against NumPy 1 does not import with NumPy 2.
    if (MattersToCuda(requirement.name) || requirement.name == "numpy")
      package.requirements.push_back(std::move(requirement));
  }
  if (!directory) return {};
  if (const auto installer =
          system::ReadWholeFile(search.system, JoinPath(package.record, "INSTALLER"), 256)) {
    package.installer = base::Trim(*installer);
  }
  return egg ? std::vector<RecordLine>() : CompareFiles(search, site.path, package);
}

// A package that matters, and what its RECORD says of its libraries.
struct Detailed {
  const SiteDirectory* site;
  PythonPackage* package;
  std::vector<RecordLine> libraries{};
  std::vector<std::string> problems{};
};

// Of two packages with the same files, the one that was installed later has the sizes of its own.
void FindOverwritten(const std::vector<Detailed>& packages) {
  const auto is_damaged = [](const Detailed& one) { return !one.package->damaged.empty(); };
  if (std::ranges::none_of(packages, is_damaged)) return;
  std::multimap<std::string, std::pair<const PythonPackage*, std::string>> listed;  // by path: who, and size
  for (const Detailed& one : packages) {
    for (const RecordLine& line : one.libraries) {
      if (line.size)
        listed.emplace(JoinPath(one.site->path, line.path),
                       std::pair(one.package, std::to_string(*line.size)));
    }
  }
  for (const Detailed& one : packages) {
    for (snapshot::DamagedFile& file : one.package->damaged) {
      if (file.problem != snapshot::FileDamage::kSize) continue;
      for (auto [at, end] = listed.equal_range(file.path); at != end; ++at) {
        const auto& [other, size] = at->second;
        if (other->name != one.package->name && size == file.actual) file.overwritten_by = other->name;
      }
    }
  }
}

}  // namespace

bool MattersToCuda(std::string_view package) {
  // librmm-cu12
  if (const size_t at = package.rfind("-cu"); at != package.npos && base::IsNumber(package.substr(at + 3)))
    return true;
  return std::ranges::any_of(kThatMatter, [&](std::string_view pattern) {
    if (!pattern.ends_with('*')) return package == pattern;
    return package.starts_with(pattern.substr(0, pattern.size() - 1));
  });
}

const system::DirectoryEntry* SiteDirectory::Find(std::string_view name) const {
  const auto entry = std::ranges::lower_bound(
      entries, name, {}, [](const system::DirectoryEntry& one) { return std::string_view(one.name); });
  return entry == entries.end() || entry->name != name ? nullptr : &*entry;
}

std::vector<PythonPackage> PackagesOf(PackageSearch& search, const std::vector<SiteDirectory>& sites) {
  std::vector<PythonPackage> packages;
  for (const SiteDirectory& site : sites) {
    for (const system::DirectoryEntry& entry : site.entries) {
      auto id = ParseRecordName(entry.name);
      if (!id) continue;
      if (packages.size() == kMostPackages) {
        search.system.NoteUnread(site.path, base::Unread::kTooMuch);
        break;
      }
      PythonPackage& package = packages.emplace_back();
      package.name = std::move(id->name);
      package.version = std::move(id->version);
      package.record = JoinPath(site.path, entry.name);
    }
  }
  return packages;
}

void ReadPackages(PackageSearch& search, const std::vector<SiteDirectory>& sites,
                  std::vector<PythonPackage>& packages, size_t count,
                  const std::function<void(size_t)>& beside) {
  constexpr size_t kPackagesEach = 8;  // for one thread, at least
  std::vector<Detailed> detailed;
  for (PythonPackage& package : packages) {
    if (!MattersToCuda(package.name)) continue;
    const auto site = std::ranges::find(sites, base::DirName(package.record), &SiteDirectory::path);
    if (site != sites.end()) detailed.push_back({&*site, &package});
  }
  base::InParallel(detailed.size() + count, kPackagesEach, [&](size_t i) {
    if (i >= detailed.size()) return beside(i - detailed.size());
    Detailed& one = detailed[i];
    PackageSearch own{.system = search.system, .verify = search.verify};
    one.libraries = ReadDetails(own, *one.site, *one.package);
    one.problems = std::move(own.problems);
  });
  for (Detailed& one : detailed) std::ranges::move(one.problems, std::back_inserter(search.problems));
  FindOverwritten(detailed);
}

void AddDetails(PackageSearch& search, const std::vector<SiteDirectory>& sites,
                const std::vector<snapshot::Framework>& frameworks, std::vector<PythonPackage>& packages) {
  for (PythonPackage& package : packages) {
    const auto site = std::ranges::find(sites, base::DirName(package.record), &SiteDirectory::path);
    if (site == sites.end() || MattersToCuda(package.name) || !package.record.ends_with(".dist-info"))
      continue;
    if (std::ranges::find(frameworks, package.name, &snapshot::Framework::package) != frameworks.end())
      ReadDetails(search, *site, package);
  }
}

std::vector<PythonPackage> CondaPackages(PackageSearch& search, const std::string& prefix,
                                         const std::vector<PythonPackage>& known) {
  std::vector<PythonPackage> packages;
  const std::string directory = JoinPath(prefix, "conda-meta");
  const auto entries = search.system.List(directory);
  if (!entries) {
    search.problems.push_back(directory + " cannot be listed");
    return packages;
  }
  std::set<std::pair<std::string_view, std::string_view>> told;
  for (const PythonPackage& package : known) told.emplace(package.name, package.version);
  for (const system::DirectoryEntry& entry : *entries) {
    const auto id = ParseCondaRecordName(entry.name);
    if (!id || told.contains({id->name, id->version})) continue;
    packages.push_back({.name = id->name,
                        .version = id->version,
                        .record = JoinPath(directory, entry.name),
                        .installer = "conda"});
  }
  return packages;
}

}  // namespace culprit::collect
