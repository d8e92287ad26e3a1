// CUDA toolkits, compilers and copies of cuDNN. Plain values; "" and 0 mean "not known" where nothing else is
// said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "snapshot/kinds.h"

namespace culprit::snapshot {

struct Toolkit {
  std::string root;     // "/usr/local/cuda-13.0", "<prefix>" of conda, "<site-packages>/nvidia/cu13"
  std::string version;  // "13.0.3", "12.4"
  std::string source;   // where the version was read
  ToolkitKind kind = ToolkitKind::kUnknown;
  std::string nvcc;  // path, "" when it has none
  std::string nvcc_version;
  std::string header_version;      // CUDA_VERSION of include/cuda.h: "13.0"
  std::vector<std::string> links;  // names that lead to it: "/usr/local/cuda"

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("root", self.root);
    visit("version", self.version);
    visit("source", self.source);
    visit("kind", self.kind);
    visit("nvcc", self.nvcc);
    visit("nvcc_version", self.nvcc_version);
    visit("header_version", self.header_version);
    visit("links", self.links);
  }
  bool operator==(const Toolkit&) const = default;
};

struct Compiler {
  std::string name;     // "gcc", "clang"
  std::string path;     // as PATH, CC, CXX or NVCC_CCBIN give it
  std::string version;  // "12", "12.2.0"
  std::string source;   // how the version is known, and who chose it

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("path", self.path);
    visit("version", self.version);
    visit("source", self.source);
  }
  bool operator==(const Compiler&) const = default;
};

struct Toolkits {
  std::vector<Toolkit> copies;
  std::string nvcc_on_path;              // what a shell would run; "" none
  std::vector<Compiler> host_compilers;  // the first is the one that nvcc would use

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("copies", self.copies);
    visit("nvcc_on_path", self.nvcc_on_path);
    visit("host_compilers", self.host_compilers);
  }
  bool operator==(const Toolkits&) const = default;
};

struct CudnnPart {
  std::string name;     // soname as asked for: "libcudnn_ops.so.9"
  std::string path;     // the file or link of that name
  std::string version;  // "9.19.0", "" not readable
  PartProblem problem;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("path", self.path);
    visit("version", self.version);
    visit("problem", self.problem);
  }
  bool operator==(const CudnnPart&) const = default;
};

// All cuDNN files of one major version in one directory.
struct CudnnCopy {
  std::string directory;
  uint32_t major = 0;
  std::string version;  // of the majority of its parts
  std::string version_source;
  std::string cuda;  // CUDA it was built for: "12", "13.0"; "" not readable
  std::string cuda_source;
  std::string machine;  // "x86-64"
  std::vector<CudnnPart> parts;
  std::vector<std::string> missing_parts;  // sonames that this version cannot do without and are not there
  std::string header;                      // cudnn_version.h (cudnn.h for 7) that a build beside it would use
  std::string header_version;
  Owner owner;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("directory", self.directory);
    visit("major", self.major);
    visit("version", self.version);
    visit("version_source", self.version_source);
    visit("cuda", self.cuda);
    visit("cuda_source", self.cuda_source);
    visit("machine", self.machine);
    visit("parts", self.parts);
    visit("missing_parts", self.missing_parts);
    visit("header", self.header);
    visit("header_version", self.header_version);
    visit("owner", self.owner);
  }
  bool operator==(const CudnnCopy&) const = default;
};

}  // namespace culprit::snapshot
