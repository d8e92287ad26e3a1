// data/libraries.toml as tables: which libraries belong to CUDA, where their version can be read, and what
// each opens with dlopen. Generated at build time; nothing is parsed at start-up.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::knowledge {

// One dlopen: the names tried in order until one opens. {major}, {minor}, {patch} stand for the version of the
// library that opens; {cuda} for the CUDA major it was built for.
struct DlopenEdge {
  std::span<const std::string_view> names;
  bool optional;             // the caller goes on without it
  std::string_view source;   // how this is known
};

struct Library {
  std::string_view name;     // "cudnn", "cudnn_ops", "cublasLt"
  std::string_view family;   // "cudnn", "cuda", "driver", "tensorrt", "nccl", "onnxruntime"
  std::string_view title;    // "cuDNN", "cuBLAS Lt"
  std::span<const std::string_view> sonames;         // exact, for example "libcudnn.so.8", "libcudnn.so.9"
  std::span<const std::string_view> version_symbols; // exported 4-byte words major<<16|minor<<8|patch
  std::span<const std::string_view> version_siblings; // stems of libraries beside it that carry its version
  std::span<const std::string_view> packages;        // pip distribution names that carry it, "nvidia_cudnn_cu12"
  std::span<const DlopenEdge> opens;
  std::string_view source;
};

std::span<const Library> Libraries();
// By soname or file name ("libcudnn.so.9", "libcudnn.so.9.1.0", "libcudnn.so"); nullptr when none.
const Library* FindLibrary(std::string_view file_name);

// Directories where copies of CUDA libraries are commonly found, as patterns with '*' for one component.
std::span<const std::string_view> UsualDirectories();

}  // namespace culprit::knowledge
