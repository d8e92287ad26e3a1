// KEY=VALUE arguments of `culprit compat` -> things to compare.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/platform.h"
#include "base/version.h"
#include "knowledge/driver.h"

namespace culprit::compat {

// A framework, or a package that depends on one.
struct CompatPackage {
  std::string key;        // its name on the package index: "torch", "torchvision", "onnxruntime-gpu"
  std::string shown;      // "torch 2.5.1"
  std::string version;    // "2.5.1"
  std::string variant;    // "cu124"; "" = any build
  std::string framework;  // its name in the table of frameworks; "" = it is none
};

struct CompatQuestion {
  std::optional<base::Version> cuda, cudnn, driver, cc, gcc, clang, python;
  std::optional<base::Version> cuda_compat;  // of an installed cuda-compat package
  std::optional<uint32_t> msvc, msvc_last;   // _MSC_VER; the last one of a whole Visual Studio
  std::string msvc_name;                     // "MSVC 1939", "Visual Studio 2022"
  bool platform_given = false;
  base::Machine machine = base::Machine::kLinuxX86;
  bool wsl = false;
  std::string gpu_name;  // if the GPU was given by name; without `cc` it is not in the table
  std::vector<CompatPackage> packages;
  size_t things = 0;  // without the platform

  // Of the driver, which is that of Windows under WSL.
  knowledge::Platform DriverPlatform() const;
};

// An error means wrong usage: an unknown key, a key given twice, a value that cannot be parsed.
base::Result<CompatQuestion> ParseCompat(const std::vector<std::string>& words);

}  // namespace culprit::compat
