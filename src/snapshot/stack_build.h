// A build folder as its build system left it: what it took of CUDA, cuDNN, compilers and architectures, and
// the programs in it. Plain values; "" means "not known".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "snapshot/stack_libraries.h"

namespace culprit::snapshot {

enum class BuildSystem { kUnknown, kCmake, kMeson, kSetuptools, kNinja };
constexpr std::array<std::string_view, 5> WordsOf(BuildSystem) {
  return {"", "CMake", "Meson", "setuptools", "ninja"};
}

// What of the build a setting decides.
enum class BuildItem {
  kUnknown,
  kNvcc,           // path
  kToolkitFile,    // a file or directory of a toolkit that headers or libraries come from
  kArchitectures,  // "sm_80 compute_80", or one of "native", "all", "all-major"
  kCudnnHeader,    // path
  kCudnnLibrary,   // path
  kRunPath,        // one directory of a run path
  kOther,          // another path of CUDA
  kNotFound,       // the build looked for it in vain; the value is empty
};
constexpr std::array<std::string_view, 9> WordsOf(BuildItem) {
  return {"",         "nvcc",  "toolkit-file", "architectures", "cudnn-header", "cudnn-library",
          "run-path", "other", "not-found"};
}

struct BuildSetting {
  BuildItem item = BuildItem::kUnknown;
  std::string name;     // "CMAKE_CUDA_COMPILER", "-gencode"
  std::string value;    // see the item
  std::string version;  // of what the path leads to
  std::string source;   // "/home/ada/app/build/CMakeCache.txt:12"

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("item", self.item);
    visit("name", self.name);
    visit("value", self.value);
    visit("version", self.version);
    visit("source", self.source);
  }
  bool operator==(const BuildSetting&) const = default;
};

struct BuildFolder {
  std::string path;
  BuildSystem system = BuildSystem::kUnknown;
  std::string system_version;           // of CMake: "3.28"
  std::string project;                  // the source directory
  std::vector<BuildSetting> settings;   // in the order in which they count
  Compiler host_compiler;               // that the build passes to nvcc; empty: nvcc chooses
  std::vector<std::string> programs;    // and shared libraries, to be judged as targets
  uint64_t programs_left_out = 0;       // beyond what is judged of one folder
  std::vector<std::string> extensions;  // modules of Python: who imports them decides what they load
  std::vector<std::string> unread;      // files of the build system that could not be understood

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit& visit) {
    visit("path", self.path);
    visit("system", self.system);
    visit("system_version", self.system_version);
    visit("project", self.project);
    visit("settings", self.settings);
    visit("host_compiler", self.host_compiler);
    visit("programs", self.programs);
    visit("programs_left_out", self.programs_left_out);
    visit("extensions", self.extensions);
    visit("unread", self.unread);
  }
  bool operator==(const BuildFolder&) const = default;
};

}  // namespace culprit::snapshot
