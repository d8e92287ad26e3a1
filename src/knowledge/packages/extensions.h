// data/extensions.toml: what the package index does not say about packages beside a framework: which build of
// it they were compiled against, their GPU code, and what building them from source needs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace culprit::knowledge {

// A package with compiled code that works with only one build of another package: xformers.
struct Extension {
  std::string_view package;
  std::string_view version;  // also "0.0.22.post7"
  std::string_view of;
  std::string_view of_version;
  std::string_view variant;  // of the build that it was compiled against: "cu121"
  std::span<const std::string_view> code;
  std::string_view source;
};
std::span<const Extension> Extensions();

// Wheels that were compiled against a major version of another package and do not work with the next one.
// Their METADATA does not say so.
struct Compiled {
  std::string_view package;
  std::string_view below;  // releases before this one
  std::string_view below_windows;
  std::string_view against;
  uint32_t major;
  bool required;  // their METADATA requires it, without this bound
  std::string_view source;
};
std::span<const Compiled> CompiledPackages();

// Where the GPU code of a package comes from.
enum class GpuUse {
  kUnknown,
  kNone,         // it has none: pure Python, or only what other packages do
  kOwn,          // in its wheels
  kRunTime,      // compiled at run time with what its wheels bring
  kRunTimeNvcc,  // compiled at run time with an installed nvcc
  kBuild,        // compiled with nvcc when it is installed
};

struct Project {
  std::string_view package;
  GpuUse gpu;
  std::string_view cuda;       // CUDA that its name says: "12" for cudf-cu12; "" = not by its name
  std::string_view elsewhere;  // where other builds are: an address; "" = nowhere or unknown
  std::string_view note;
  std::string_view source;
};
std::span<const Project> Projects();

// data/wheel_code.toml: the CUDA releases for which a wheel has a library of its own; empty = it has none.
struct ProjectLibraries {
  std::string_view package;
  std::span<const std::string_view> versions;
  std::span<const std::string_view> platforms;
  std::span<const std::string_view> cuda;  // "12.8"; rising
  std::string_view source;
};
std::span<const ProjectLibraries> AllProjectLibraries();

// Which of these a package opens beside a build of a framework.
enum class OpenedBy {
  kExact,  // the one for the CUDA that the framework was built with
  kMajor,  // that one, else the newest before it of its major, else the oldest after it
};

struct OpenedLibrary {
  std::string_view package;
  std::string_view versions;  // specifiers: ">=0.50"
  std::string_view beside;    // "torch"
  OpenedBy by;
  std::string_view variable;  // names another one: "BNB_CUDA_VERSION"
  std::string_view source;
};
std::span<const OpenedLibrary> OpenedLibraries();

// data/wheel_code.toml: GPU code found inside wheels. Several rows for one version and platform: the wheel
// has a build for each `cuda`.
struct ProjectCode {
  std::string_view package;
  std::span<const std::string_view> versions;
  std::span<const std::string_view> platforms;
  std::string_view cuda;                   // that it was built for: "12", "12.8"; "" = unknown
  std::span<const std::string_view> code;  // empty = the wheel has none
  std::string_view source;
};
std::span<const ProjectCode> ProjectCodes();

// What installing a package from source needs.
struct SourceBuild {
  std::string_view package;
  std::string_view versions;                // specifiers: ">=2"; "" = all
  bool nvcc;                                // a toolkit of the CUDA that torch was built with
  std::string_view cuda;                    // lowest toolkit; "" = not said
  std::string_view code_min;                // lowest compute capability; "" = not said
  std::span<const std::string_view> first;  // what it is built with: "torch", "ninja", "packaging"
  bool no_build_isolation;
  std::span<const std::string_view> variables;  // "CMAKE_ARGS=-DGGML_CUDA=on"
  std::string_view requirement;  // what pip is given: "git+https://..."; "" = the name and the version
  std::span<const std::string_view> options;  // of pip
  std::string_view note;
  std::string_view source;
};
std::span<const SourceBuild> SourceBuilds();

// Requirements that METADATA leaves out: a torchcodec and its torch.
struct UnstatedNeeds {
  std::string_view package;
  std::string_view versions;  // specifiers: "==0.8.*"
  std::span<const std::string_view> needs;
  std::string_view source;
};
std::span<const UnstatedNeeds> AllUnstatedNeeds();

}  // namespace culprit::knowledge
