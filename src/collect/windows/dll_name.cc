#include "collect/windows/dll_name.h"

#include <charconv>

#include "base/text.h"
#include "base/windows/path.h"
#include "collect/library/text_search.h"

namespace culprit::collect {
namespace {

constexpr std::string_view kDll = ".dll";
constexpr std::string_view kBits = "64_";

bool IsShortNumber(std::string_view text) { return text.size() < 6 && base::IsNumber(text); }

}  // namespace

std::optional<CudnnDllName> ParseCudnnDll(std::string_view name) {
  const std::string folded = base::FoldCase(name);
  if (!folded.starts_with("cudnn") || !folded.ends_with(kDll)) return std::nullopt;
  std::string stem = folded.substr(0, folded.size() - kDll.size());
  stem = stem.substr(0, stem.find('-'));
  const size_t at = stem.rfind(kBits);
  if (at == std::string::npos || (at != 5 && stem[5] != '_')) return std::nullopt;
  const std::string number = stem.substr(at + kBits.size());
  if (!IsShortNumber(number)) return std::nullopt;
  CudnnDllName parsed{.part = stem.substr(0, at)};
  std::from_chars(number.data(), number.data() + number.size(), parsed.major);
  return parsed;
}

std::string CudnnDll(std::string_view part, uint32_t major) {
  return std::string(part) + std::string(kBits) + std::to_string(major) + std::string(kDll);
}

std::string CudaInDllName(std::string_view name) {
  const std::string folded = base::FoldCase(name);
  if (!folded.ends_with(kDll)) return "";
  for (const std::string_view stem : {"cudart64_", "cublas64_", "cublaslt64_", "nvrtc64_", "nvjitlink_"}) {
    if (!folded.starts_with(stem)) continue;
    std::string number = folded.substr(stem.size(), folded.size() - stem.size() - kDll.size());
    number = number.substr(0, number.find('_'));  // nvrtc64_120_0
    if (!IsShortNumber(number)) return "";
    // 12 and 11 are majors; 110, 112, 120 have the minor behind them, and so has 92.
    if (number.size() == 3) return number.substr(0, 2);
    return number.size() == 2 && number >= "50" ? number.substr(0, 1) : number;
  }
  return "";
}

std::string CudaOfDll(const std::string& path, const binfmt::PeFile& pe) {
  if (std::string cuda = CudaInDllName(base::BaseName(path)); !cuda.empty()) return cuda;
  for (const auto* imports : {&pe.imports, &pe.delay_imports}) {
    for (const binfmt::PeImport& import : *imports) {
      if (std::string cuda = CudaInDllName(import.dll); !cuda.empty()) return cuda;
    }
  }
  return "";
}

std::string CudaNamedInside(std::string_view part, const base::ByteSource& bytes) {
  constexpr std::string_view kName = "cublasLt64_";
  constexpr uint64_t kLimit =
      48 << 20;  // constants stand before the GPU code: at 25 MB in the largest part of 9.10
  if (part != "cudnn_adv" && part != "cudnn_ops_infer" && part != "cudnn_engines_precompiled") return "";
  const auto text = TextAfter(bytes, kName, SearchFrom::kStart, kLimit);
  if (!text) return "";
  const std::string number = text->substr(0, text->find_first_not_of("0123456789"));
  return CudaInDllName(std::string(kName) + number + std::string(kDll));
}

}  // namespace culprit::collect
