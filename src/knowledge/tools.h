// data/tools.toml: programs and data files that a package or a compiler starts or reads at run time, and that
// no library names.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace culprit::knowledge {

enum class ToolKind : uint8_t {
  kProgram,
  kLibrary,          // one of CUDA
  kCompilerLibrary,  // a part of the compiler, as libnvvm
  kData,
};

struct ToolRow {
  std::string_view name;  // "ptxas"
  ToolKind kind;
  std::string_view user;                     // the package that needs it, or "tool:nvcc": a toolkit with nvcc
  std::string_view since;                    // the first version of that package that does; "" any
  bool loads;                                // only if the package finds CUDA libraries
  std::string_view without;                  // only if this package is not installed; "" always
  bool seldom;                               // most who have the package never need it
  bool always;                               // nothing of the package runs on a GPU without it
  std::string_view variable;                 // names the file itself; "" none
  std::span<const std::string_view> places;  // in the order of the search
  std::span<const std::string_view> packages;  // of PyPI that have it: the one for CUDA 12, then for CUDA 13
  std::string_view effect;                     // what happens without it
  std::string_view source;
};
std::span<const ToolRow> Tools();
// The place without its condition ("/opt/cuda/bin/ptxas if >=2.19"); "" if it is none of that release of the
// user.
std::string_view PlaceFor(std::string_view place, std::string_view release);

}  // namespace culprit::knowledge
