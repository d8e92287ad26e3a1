// data/host_compilers.toml: which host compilers an nvcc accepts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/version.h"
#include "knowledge/answer.h"

namespace culprit::knowledge {

struct NvccRow {
  std::string_view cuda;     // "12.4"; "11.4.1" = from that update on
  std::string_view gcc_min;  // "" = unknown
  std::string_view gcc_max;  // inclusive: "13.2" = up to 13.2, "13" = every 13.x
  std::string_view clang_min;
  std::string_view clang_max;
  uint32_t msvc_min;    // lowest _MSC_VER
  uint32_t msvc_below;  // first one that is rejected
  std::string_view visual_studio;
  std::string_view source;
};
std::span<const NvccRow> NvccRows();  // oldest first

// What crt/host_config.h in a wheel of NVIDIA's compiler enforces.
struct NvccHeader {
  std::string_view cuda;     // the first release with this compiler
  std::string_view package;  // "nvidia-cuda-nvcc-cu12"
  std::string_view version;
  uint32_t gcc_max;
  uint32_t clang_max;
  uint32_t msvc_min;
  uint32_t msvc_below;
  std::string_view source;
};
std::span<const NvccHeader> NvccHeaders();  // oldest first

struct MscVer {
  uint32_t first;
  uint32_t last;
  std::string_view visual_studio;
  std::string_view source;
};
std::span<const MscVer> MscVers();

// "12.4", "12.4.1" -> the row of 12.4; nullptr if there is none.
const NvccRow* FindNvcc(const base::Version& cuda);

// Whether nvcc of this release accepts the compiler ("13", "13.2"; 1939).
Answer GccFits(const base::Version& cuda, const base::Version& gcc);
Answer ClangFits(const base::Version& cuda, const base::Version& clang);
Answer MsvcFits(const base::Version& cuda, uint32_t msc_ver);

}  // namespace culprit::knowledge
