// data/frameworks.toml: official binaries of frameworks, and what they were built with and for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "knowledge/answer.h"
#include "knowledge/driver.h"

namespace culprit::knowledge {

enum class LibrariesFrom {
  kUnknown,
  kBundled,    // inside the binary
  kNvidiaPip,  // nvidia-* packages that it requires
  kExtra,      // nvidia-* packages, with a pip extra
  kSystem,     // whatever is installed on the machine
  kNoGpu,      // no GPU support on this platform
};

struct FrameworkRelease {
  std::string_view
      framework;  // "torch", "tensorflow", "jax", "onnxruntime", "cupy", "ctranslate2", "paddle" ...
  std::string_view version;     // "2.5.1"; "1.19" = every 1.19.x
  std::string_view until;       // last version of a range, "" = only `version`
  std::string_view variant;     // "cu124", "cuda12"; "" = there is only one build
  std::string_view cuda;        // built with; "" = unknown
  std::string_view cuda_from;   // the lowest accepted; "" = every one of that major
  std::string_view cuda_until;  // if it accepts a range
  std::string_view cudnn;       // built with, or the lowest accepted; "none" = not used; "" = unknown
  std::string_view cudnn_windows;
  std::string_view cudnn_until;
  std::string_view cudnn_below;
  std::string_view python;
  std::string_view python_until;
  std::span<const std::string_view> code;  // GPU code on Linux x86-64 (CodeRunsOn); empty = unknown
  std::span<const std::string_view> code_windows;
  std::span<const std::string_view> code_aarch64;
  std::string_view code_min;  // if only the lowest capability is known
  LibrariesFrom libraries;
  LibrariesFrom libraries_windows;
  LibrariesFrom libraries_aarch64;  // Linux aarch64; kUnknown = not checked
  std::string_view extra;           // "tensorflow[and-cuda]"
  std::string_view package;         // on the package index, if not its usual one: "tensorflow-gpu"
  bool is_default;                  // what the package index provides without a variant, on Linux x86-64
  bool default_windows;  // ... and also on Windows; if false, the index has no GPU build or another one there
  bool default_aarch64;  // ... and on Linux aarch64
  bool index_unknown;    // not on the package index, and where else it is published was not verified
  std::string_view source;
};
std::span<const FrameworkRelease> FrameworkReleases();

// Releases that belong together but whose pins are not on the index.
struct Companion {
  std::string_view package;
  std::string_view version;
  std::string_view of;
  std::string_view of_version;
  bool and_later;  // every later release of `of` works as well
  std::string_view source;
};
std::span<const Companion> Companions();

// GPUs on which releases of a framework fail, although they have code for them: every one from `cc` on.
struct KnownFailure {
  std::string_view framework;
  std::string_view version;
  std::string_view until;
  std::string_view cc;
  std::string_view fact;  // names both sides
  std::string_view source;
};
std::span<const KnownFailure> KnownFailures();

// A framework's common name ("pytorch", "onnxruntime-gpu") -> its name in the table; "" = none.
std::string_view FrameworkName(std::string_view name);

// Every build of a release, the default one first: for "2.5.1" all of torch 2.5.1, for "2.5" those of the
// newest 2.5.x. `variant` ("cu124") selects one build; "" selects all.
std::vector<const FrameworkRelease*> FindFramework(std::string_view framework, const base::Version& version,
                                                   std::string_view variant = "");

// Whether one build works with ...
Answer FrameworkOnDriver(const FrameworkRelease& row, const base::Version& driver, Platform platform);
// ... an installed toolkit. If the binary bundles its own CUDA, the installed one does not matter.
Answer FrameworkWithCuda(const FrameworkRelease& row, const base::Version& cuda, Platform platform);
// ... a cuDNN that is loaded instead of the one it was built with.
Answer FrameworkWithCudnn(const FrameworkRelease& row, const base::Version& cudnn, Platform platform);
// ... a GPU. `driver` may be empty; otherwise, PTX that the driver cannot compile counts as no.
Answer FrameworkOnGpu(const FrameworkRelease& row, const base::Version& cc, const base::Version* driver,
                      Platform platform);
// ... a Python, on Linux x86-64. For other machines, see builds.h.
Answer FrameworkOnPython(const FrameworkRelease& row, const base::Version& python);
// ... a platform at all.
Answer FrameworkOnPlatform(const FrameworkRelease& row, Platform platform);

}  // namespace culprit::knowledge
