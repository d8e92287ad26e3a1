// nvidia-* packages: libraries in their folders. Which packages carry which library is in
// data/libraries.toml, the folders and the sonames of a CUDA major are in data/sonames.toml, the parts of
// cuDNN in data/cudnn.toml.
#include <algorithm>

#include "base/text.h"
#include "base/windows/path.h"
#include "change/whatif/wheels/wheel.h"
#include "knowledge/cudnn.h"
#include "knowledge/libraries.h"
#include "knowledge/packages/release.h"
#include "knowledge/packages/sonames.h"

namespace culprit::whatif {
namespace {

using base::JoinPath;
using knowledge::Library;

// The CUDA major of a package: nvidia-cublas-cu12 says it; those without a suffix are for 13.
std::string CudaOfPackage(const std::string& name) {
  const size_t at = name.rfind("-cu");
  const std::string digits = at == name.npos ? "" : name.substr(at + 3);
  if (!digits.empty() && digits.find_first_not_of("0123456789") == digits.npos) return digits.substr(0, 2);
  return "13";
}

bool ServesCuda(std::string_view file, const std::string& cuda) {
  const knowledge::SonameRow* row = knowledge::FindSoname(file);
  if (row == nullptr) return false;
  return std::ranges::any_of(row->cuda, [&](std::string_view one) { return MajorOf(one) == cuda; });
}

// The name of a library's file that belongs to a CUDA major. One that has a single name for all has that.
std::string FileFor(const Library& library, const std::string& cuda, bool windows) {
  const auto names = windows ? library.dlls : library.sonames;
  for (const std::string_view name : names) {
    if (ServesCuda(name, cuda) && name.find('*') == name.npos) return std::string(name);
  }
  // cudart, cuBLAS, nvJitLink carry the major in their names.
  const std::string ending = windows ? "64_" + cuda + ".dll" : ".so." + cuda;
  for (const std::string_view name : names) {
    if (name.ends_with(ending) || (!windows && name.ends_with(ending + ".0"))) return std::string(name);
  }
  if (names.size() == 1 && names.front().find('*') == names.front().npos &&
      knowledge::FindSoname(names.front()) == nullptr)
    return std::string(names.front());
  return "";
}

}  // namespace

std::string MajorOf(std::string_view version) { return std::string(version.substr(0, version.find('.'))); }

std::string NvidiaFolder(const Library& library, const std::string& cuda, bool windows) {
  std::string folder;
  for (const knowledge::WheelFolder& row : knowledge::WheelFolders()) {
    if (row.library == library.name) folder = cuda == "13" ? row.cuda13 : row.cuda12;
  }
  if (folder.empty()) {
    const std::string family(library.family == "cudnn"                ? "cudnn"
                             : library.name == "nvshmem_host"         ? "nvshmem"
                             : library.name == "nvrtc-builtins"       ? "cuda_nvrtc"
                             : library.name == "cusparseLt"           ? "cusparselt"
                             : library.name.starts_with("cufft")      ? "cufft"
                             : library.name.starts_with("cusolver")   ? "cusolver"
                             : library.name == "nvblas"               ? "cublas"
                             : library.name.starts_with("nvToolsExt") ? "nvtx"
                                                                      : library.name);
    const bool own =
        library.family == "cudnn" || family == "nccl" || family == "nvshmem" || family == "cusparselt";
    folder = cuda == "13" && !own ? "nvidia/cu13/lib" : "nvidia/" + family + "/lib";
  }
  if (!windows) return folder;
  if (folder == "nvidia/cu13/lib") return "nvidia/cu13/bin/x86_64";
  return folder.ends_with("/lib") ? folder.substr(0, folder.size() - 4) + "/bin" : folder;
}

std::string CudaFile(std::string_view library, const std::string& cuda, bool windows) {
  for (const Library& row : knowledge::Libraries()) {
    if (row.name != library) continue;
    if (std::string file = FileFor(row, cuda, windows); !file.empty()) return file;
  }
  return "";
}

void PutCudaLibrary(Wheel& wheel, const std::string& folder, const std::string& file,
                    const std::string& version) {
  const std::string path = JoinPath(folder, file);
  Claims claims;
  ClaimVersion(file, version, claims);
  const bool windows = wheel.environment.windows;
  if (!windows) {
    claims.runpath = "$ORIGIN";
    // One wheel has both, and the first needs the second.
    if (file.starts_with("libcublas.so.")) claims.needed = {"libcublasLt" + file.substr(9)};
  } else if (const auto old = ClaimsOf(*wheel.machine, JoinPath(wheel.environment.site, path))) {
    claims.imports = old->imports;
    claims.exports = old->exports;
    for (const auto& [word, value] : claims.words) std::erase(claims.exports, word);
  }
  wheel.binaries[path] = std::move(claims);
}

void PutCudnn(Wheel& wheel, const std::string& folder, const base::Version& cudnn) {
  const bool windows = wheel.environment.windows;
  const std::string release = cudnn.parts.size() > 1 ? cudnn.ToString() : "";  // "some 9.x" is no release
  for (const knowledge::CudnnPart* part : knowledge::PartsOf(cudnn)) {
    const std::string file(windows ? part->windows : part->linux);
    if (file.empty()) continue;
    PutCudaLibrary(wheel, folder, file, release);
    Claims& claims = wheel.binaries[JoinPath(folder, file)];
    if (!windows && part->name != "shim" && folder.starts_with("nvidia/")) {
      claims.runpath = "$ORIGIN:$ORIGIN/../../cublas/lib:$ORIGIN/../../cuda_nvrtc/lib:$ORIGIN/../../cu13/lib";
    }
  }
}

bool FillNvidia(Wheel& wheel) {
  const std::string package = Underscored(wheel.name);
  const std::string cuda = CudaOfPackage(wheel.name);
  const bool windows = wheel.environment.windows;
  const base::Version number = wheel.Number();
  bool known = false;
  for (const Library& library : knowledge::Libraries()) {
    if (std::ranges::find(library.packages, package) == library.packages.end() ||
        !wheel.name.starts_with("nvidia-"))
      continue;
    known = true;
    const std::string folder = NvidiaFolder(library, cuda, windows);
    if (library.family == "cudnn") {
      if (library.name != "cudnn") continue;  // once for all parts
      PutCudnn(wheel, folder, number);
      continue;
    }
    std::string file = FileFor(library, cuda, windows);
    if (library.name == "nvrtc-builtins") {  // carries the number of its release
      file = windows ? "nvrtc-builtins64_" + std::to_string(number.part(0)) + std::to_string(number.part(1)) +
                           ".dll"
                     : "libnvrtc-builtins.so." + knowledge::MinorOf(number).ToString();
    }
    if (!file.empty()) PutCudaLibrary(wheel, folder, file, wheel.version);
  }
  for (const auto& [path, claims] : wheel.binaries) wheel.owns.push_back(path);
  return known;
}

}  // namespace culprit::whatif
