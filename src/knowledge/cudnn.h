// data/cudnn.toml: which CUDA and GPUs a cuDNN release supports, and which files it consists of.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/answer.h"

namespace culprit::knowledge {

// Where a row's compute capabilities come from.
enum class CudnnBasis {
  kPackage,  // only known from packages
  kRange,    // support matrix of a neighboring release
  kMatrix,   // support matrix of this release
};

struct CudnnRelease {
  std::string_view version;  // "9.10.2"
  std::string_view build;    // "9.10.2.21", as packages are numbered
  // "12" = one build for every 12.x, "10.2" = only for that release. Unrecorded builds are missing.
  std::span<const std::string_view> cuda_builds;
  std::span<const std::string_view> cuda_not;  // NVIDIA lists these as unsupported
  std::string_view cc_min;                     // lowest compute capability
  std::string_view cc_min_cuda10;              // if the build for CUDA 10 supports lower ones
  std::string_view cc_min_cuda11;
  std::span<const std::string_view> cc_listed;  // "8.6", "5.x"; empty = no list
  CudnnBasis basis;
  std::string_view source;
};
std::span<const CudnnRelease> CudnnReleases();  // oldest first; a version has two rows if its builds differ

struct CudnnDriverFloor {
  std::string_view cudnn_first;
  std::string_view cudnn_last;
  std::string_view cuda;  // "12" or "10.2"
  std::string_view linux;
  std::string_view windows;  // "" = not given
  std::string_view source;
};
std::span<const CudnnDriverFloor> CudnnDriverFloors();

struct CudnnPart {
  uint32_t major;
  std::string_view
      name;  // "graph"; "shim" for the library that programs link, "library" if it is the only one
  std::string_view linux;  // soname
  std::string_view windows;
  std::string_view since;  // first release that has it; "" = all of the major
  std::string_view source;
};
std::span<const CudnnPart> CudnnParts();
// The files that a release must have; empty for a major that is not in the table.
std::vector<const CudnnPart*> PartsOf(const base::Version& cudnn);
// The sub-library with this soname or DLL name (DLL names are case-insensitive); nullptr if there is none:
// "cudnn_ops_infer64_8.dll" belongs to every 8.x, "cudnn_ext64_9.dll" to 9.22 and later.
const CudnnPart* FindCudnnPart(std::string_view file_name);

struct CudnnLastForCapability {
  std::string_view cc;
  std::string_view cudnn;
  std::string_view source;
};
std::span<const CudnnLastForCapability> CudnnLastForCapabilities();

struct CudnnLastForCuda {
  std::string_view cuda;  // "11" or "10.2"
  std::string_view cudnn;
  std::string_view source;
};
std::span<const CudnnLastForCuda> CudnnLastForCudas();

// Promises of binary compatibility (abi-*), and GPUs newer than a release.
std::span<const Rule> CudnnRules();
const Rule* FindCudnnRule(std::string_view id);

// The rows of "9.10.2", of "9.10.2.21", or of every 9.10 for "9.10"; oldest first.
std::vector<const CudnnRelease*> FindCudnn(const base::Version& cudnn);

// Whether there is a build of this cuDNN for this CUDA ("12", "12.4").
Answer CudnnForCuda(const base::Version& cudnn, const base::Version& cuda);
bool IsBuiltFor(const CudnnRelease& row, const base::Version& cuda);
// Whether the build for this CUDA has code for this GPU. `cuda` may be 0 if unknown.
Answer CudnnForGpu(const base::Version& cudnn, const base::Version& cuda, const base::Version& cc);
Answer CudnnForGpu(const CudnnRelease& row, const base::Version& cuda, const base::Version& cc);
// Whether a program compiled against one cuDNN can load another.
Answer CudnnServes(const base::Version& loaded, const base::Version& compiled_against);

// The dynamic zlib of a release on Windows: zlibwapi.dll from 8.3 until 8.9.3; in later ones zlib is linked
// in: the wheels from 8.9.4 on have it inside, although NVIDIA's guide asks for the DLL up to 8.9.7. If the
// file is available, its import table decides.
bool NeedsZlibwapi(const base::Version& cudnn);

}  // namespace culprit::knowledge
