// What the records of an installed Python package say, as text: names and versions in the names of the record
// directories, the headers of METADATA, the lines of RECORD. Formats: PyPA "Recording installed projects",
// core metadata 2.x, PEP 503 (names), PEP 508 (requirements).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform.h"
#include "base/python/package_name.h"
#include "snapshot/stack.h"

namespace culprit::collect {

using base::NormalName;

struct PackageId {
  std::string name;     // normalised
  std::string version;  // "" when the directory's name does not tell
  bool operator==(const PackageId&) const = default;
};

// "torch-2.5.1+cu124.dist-info", "horovod-0.28-py3.10.egg-info", "apex.egg-info"; nullopt for another name.
// What a broken installation left behind ("~orch-2.5.1.dist-info") is none.
std::optional<PackageId> ParseRecordName(std::string_view directory);
// "pytorch-2.5.1-py3.12_cuda12.4_cudnn9.1.0_0.json".
std::optional<PackageId> ParseCondaRecordName(std::string_view file);

struct Metadata {
  std::string name;
  std::string version;
  std::vector<snapshot::Requirement> requirements;
};

// The headers end at the first empty line; what follows is a description of any length. At most
// kMostRequirements are kept.
Metadata ParseMetadata(std::string_view text);
// "cuda-toolkit[cublas,cudart]==13.2.2; platform_system == 'Linux'"; nullopt when it is not understood.
std::optional<snapshot::Requirement> ParseRequirement(std::string_view text);

struct RecordLine {
  std::string path;    // relative to the directory of the packages
  std::string sha256;  // base64 without padding, '-' and '_'; "" not told
  std::optional<uint64_t> size;
};

// Packages have hundreds of shared libraries at most, and as many requirements.
inline constexpr size_t kMostLibrariesOfRecord = 20'000;
inline constexpr size_t kMostRequirements = 5'000;

// The lines of RECORD that are shared libraries of the platform: "x.so", "x.so.9"; "x.dll", "x.pyd". At most
// kMostLibrariesOfRecord of them.
std::vector<RecordLine> SharedLibrariesOf(std::string_view record,
                                          base::Platform platform = base::Platform::kLinux);

}  // namespace culprit::collect
