// data/libraries.toml as tables: which libraries belong to CUDA, where their version can be read, and what
// each opens with dlopen or LoadLibrary. Generated at build time; nothing is parsed at start-up.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace culprit::knowledge {

// One dlopen: names are tried in order until one opens. {major}, {minor}, {patch} are the version of the
// library that calls; {cuda} is the CUDA major it was built for. "$ORIGIN/" is the directory of that library.
struct DlopenEdge {
  std::span<const std::string_view> names;
  bool optional;            // the caller works without it
  std::string_view source;  // how this is known
  std::string_view since;   // first version of the caller that does this; "" = all before `until`
  std::string_view until;   // first version that no longer does; "" = all later ones do
  std::span<const std::string_view> cuda;  // only builds for these CUDA majors; empty = every build
  uint32_t flags;                          // Windows: of LoadLibraryEx, 0 = LoadLibrary
};

// Whether a caller of this version, built for this CUDA major ("12", "12.4"), opens this at all. A condition
// on an unknown value ("") is false: culprit predicts no load that may never happen.
bool Applies(const DlopenEdge& edge, std::string_view version, std::string_view cuda);

// One generation of a library; generations that behave differently are rows with the same name.
struct Library {
  std::string_view name;                      // "cudnn", "cudnn_ops", "cublasLt"
  std::string_view family;                    // "cudnn", "cuda", "driver", "tensorrt", "nccl" ...
  std::string_view title;                     // "cuDNN", "cuBLAS Lt"
  std::span<const std::string_view> sonames;  // exact, for example "libcudnn.so.8", "libcudnn.so.9"
  std::span<const std::string_view>
      dlls;  // "cudnn64_8.dll", also "cupti64_*.dll"; a name without a version is only in its newest row
  std::span<const std::string_view> version_symbols;  // exported 4-byte words major<<16|minor<<8|patch
  std::span<const std::string_view>
      version_siblings;                        // sonames of libraries next to it that have its version
  std::span<const std::string_view> packages;  // pip distributions that contain it, "nvidia_cudnn_cu12"
  std::span<const DlopenEdge> opens;
  std::span<const DlopenEdge> opens_windows;
  std::string_view source;
};

std::span<const Library> Libraries();

// By soname or file name, also as auditwheel renames files; nullptr if there is none:
//   "libcudnn.so.9.1.0", "libcudnn-1a2b3c4d.so.9.1.0"   the row of that generation, libcudnn.so.9
//   "libcudnn.so"                    the newest generation
//   "libcudart.so.11.8.89"           that of libcudart.so.11.0, the same major
//   "libcuda.so.580.95.05"           that of libcuda.so.1: some file numbers differ from the soname
//   "CUDNN64_8.DLL"                  that of cudnn64_8.dll; also delvewheel's
//   "cudnn64_8-0123456789abcdef.dll"
const Library* FindLibrary(std::string_view file_name);

// Whether this is exactly one of the row's own names, soname or DLL.
bool IsNameOf(const Library& library, std::string_view file_name);

// Common directories of CUDA libraries, as patterns; '*' matches within a component.
std::span<const std::string_view> UsualDirectories();
// The same relative to a site-packages directory: "nvidia/*/lib", "torch/lib".
std::span<const std::string_view> UsualPythonDirectories();
// Both for Windows: "/C:/Program Files/NVIDIA/CUDNN/v*/bin/*", "nvidia/*/bin".
std::span<const std::string_view> UsualWindowsDirectories();
std::span<const std::string_view> UsualWindowsPythonDirectories();

}  // namespace culprit::knowledge
