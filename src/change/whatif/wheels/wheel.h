// A wheel that is not installed yet, by what it will put below site-packages: what collect/ reads of it, and
// what an import opens. What the tables do not know about a file is not claimed.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/version.h"
#include "change/whatif/claims.h"
#include "change/whatif/environment.h"
#include "knowledge/packages/frameworks.h"

namespace culprit::whatif {

struct Wheel {
  std::shared_ptr<const system::System> machine;
  const Environment& environment;
  std::string name;                          // normalised
  std::string version;                       // as its record has it: "2.5.1", "2.5.1+cu118"
  std::map<std::string, Claims> binaries{};  // by path below site-packages
  std::map<std::string, std::string> texts{};
  std::vector<std::string> needs{};  // lines of Requires-Dist
  std::vector<std::string> owns{};   // directories and files below site-packages that are its own

  std::string Release() const;   // without "+cu118" and ".post1"
  std::string Local() const;     // "cu118"
  base::Version Number() const;  // 0 where it cannot be read
};

// "nvidia-cublas" -> "nvidia_cublas", as a dist-info directory spells it.
inline std::string Underscored(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

// The package and its files: nvidia_wheels.cc, torch_wheels.cc, framework_wheels.cc. False when the package
// is none of theirs.
bool FillNvidia(Wheel& wheel);
bool FillTorch(Wheel& wheel);
bool FillFramework(Wheel& wheel);

// tool_files.cc: what the wheel, and with extras what it asks for, needs to compile for the GPU.
void PutTools(Wheel& wheel, bool with_extras);

// Below site-packages, the directory of libraries of a component for a CUDA major: "nvidia/cublas/lib",
// "nvidia/cu13/lib".
std::string NvidiaFolder(const knowledge::Library& library, const std::string& cuda, bool windows);
// Files of a CUDA major: "libcublas.so.12" or "cublas64_12.dll" for ("cublas", "12"); "" = not in the tables.
std::string CudaFile(std::string_view library, const std::string& cuda, bool windows);
// Puts a release of cuDNN, or one library of CUDA, into a directory below site-packages.
void PutCudnn(Wheel& wheel, const std::string& folder, const base::Version& cudnn);
void PutCudaLibrary(Wheel& wheel, const std::string& folder, const std::string& file,
                    const std::string& version);

// The row of an official build: for "2.5.1+cu124" that variant, else the default one; nullptr = none known.
const knowledge::FrameworkRelease* BuildOf(const Wheel& wheel, std::string_view framework);
// GPU code of a row for the platform, as Claims has it; empty when not known.
std::vector<std::string> CodeOf(const knowledge::FrameworkRelease& row, const Environment& environment);
// "12" of "12.4".
std::string MajorOf(std::string_view version);

}  // namespace culprit::whatif
