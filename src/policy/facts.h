// The facts that a site's own rules can ask about (docs/policy.md), the same for a machine, an image and the
// brief snapshot of a node. Unknown facts are listed by kind, and never count as absent.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"

namespace culprit::policy {

enum class Kind {
  kDriver,
  kLibcuda,
  kGpu,
  kCapability,
  kToolkit,
  kCudnn,
  kPython,
  kFramework,
  kLoaded,
  kPackage,
  kVariable,
  kSystem,
  kKernel,
  kCpu,
  kContainer,
  kVirtualMachine,
  kSecureBoot
};
// As conditions name them.
constexpr std::array<std::string_view, 17> WordsOf(Kind) {
  return {"driver", "libcuda",   "gpu",       "capability",      "toolkit",    "cudnn",
          "python", "framework", "loaded",    "package",         "variable",   "system",
          "kernel", "cpu",       "container", "virtual-machine", "secure-boot"};
}

// The type of a value, and so what it can be compared with.
enum class ValueKind {
  kVersion,        // "580.95.05", "6.1.0-18-amd64": numbers, in order
  kPythonVersion,  // PEP 440
  kText
};

struct KindInfo {
  std::string_view title;  // for people: "cuDNN"
  ValueKind value = ValueKind::kText;
  bool named = false;    // a condition says which: package NAME
  bool several = false;  // a machine can have more than one
  bool placed = false;   // it lies in a directory
  size_t numbers = 0;    // of a whole version; where fewer were read, the others are not known
};
const KindInfo& InfoOf(Kind kind);

struct Fact {
  Kind kind = Kind::kDriver;
  std::string name{};    // package, variable, framework or library; the number of a GPU
  std::string value{};   // "": it is there, and its version or model is not known
  std::string where{};   // the directory it lies in
  std::string source{};  // where it was read
  std::string by{};      // of a loaded library: "torch in /opt/venv"
};

// Why some facts of a kind are unknown.
struct Unknown {
  std::string why;
  bool of_host = false;  // it belongs to a host that is out of reach: report::NotChecked
};

struct Facts {
  std::vector<Fact> all;
  std::map<Kind, Unknown> unknown;
};

// "driver 535.104.05", "LD_LIBRARY_PATH=/opt/lib", "torch 2.5.0 in /opt/venv".
std::string InWords(const Fact& fact);

}  // namespace culprit::policy
