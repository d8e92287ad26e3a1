// data/packages.toml: names of things outside pip: apt and conda packages, container images, wheel indexes
// other than the package index.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/version.h"

namespace culprit::knowledge {

struct PackageName {
  std::string_view manager;  // "apt", "conda"
  std::string_view what;     // "cuda", "cudnn", "cudnn-dev", "driver", "driver-open", "cuda-version"
  std::string_view since;    // versions with this name; "" = no bound
  std::string_view until;
  std::string_view name;     // a template for FillIn: "libcudnn{major}-cuda-{cuda_major}"
  std::string_view version;  // a template: "{version}-1"; "" = has no version
  std::string_view pin;      // a template: a package to install first that pins it to a branch; "" = none
  std::string_view channel;  // "nvidia", "ubuntu", "conda-forge"
  std::string_view source;
};
std::span<const PackageName> PackageNames();

enum class RemovalManner : uint8_t { kApt, kDnf, kRunfile, kCopied, kWindows };

// How something is removed that was installed in one manner.
struct Removal {
  std::string_view what;  // "driver", "cuda", "cudnn"
  RemovalManner manner;
  std::string_view since;
  std::string_view until;
  std::string_view how;                        // a template: how to tell, and what to do if it is no command
  std::span<const std::string_view> commands;  // templates
  std::string_view stays;                      // what is left
  std::string_view source;
};
std::span<const Removal> Removals();

// A tag of nvidia/cuda that has cuDNN: CUDA-CUDNN-devel-SYSTEM, CUDA-CUDNN-runtime-SYSTEM.
struct ContainerImage {
  std::string_view cuda;                      // "12.4.1"
  std::string_view cudnn;                     // "cudnn8", "cudnn9"; "cudnn" from 12.4.1 on, which is cuDNN 9
  std::span<const std::string_view> systems;  // "ubuntu22.04"
  std::string_view source;
};
std::span<const ContainerImage> ContainerImages();  // oldest first

struct WheelIndex {
  std::string_view package;  // a framework's name: "torch"
  std::string_view since;
  std::string_view until;
  std::string_view option;   // pip's option: "--index-url", "--find-links"
  std::string_view address;  // a template: "https://download.pytorch.org/whl/{variant}"
  std::string_view source;
};
std::span<const WheelIndex> WheelIndexes();

// Releases on the package index that have no row in the tables, on purpose.
struct LeftOut {
  std::string_view package;
  std::string_view version;
  std::string_view until;  // "" = only `version`
  std::string_view reason;
  std::string_view source;
};
std::span<const LeftOut> LeftOutReleases();

// The values for a template.
struct Blanks {
  base::Version version;     // {version}, {major}, {minor}
  base::Version cuda;        // {cuda}, {cuda_major}
  std::string_view variant;  // {variant}
};
std::string FillIn(std::string_view form, const Blanks& blanks);

// nullptr if it is not in the table.
const PackageName* FindPackageName(std::string_view manager, std::string_view what,
                                   const base::Version& version, std::string_view channel = "");
const WheelIndex* FindWheelIndex(std::string_view package, const base::Version& version);

}  // namespace culprit::knowledge
