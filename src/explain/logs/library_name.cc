#include "explain/logs/library_name.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/text.h"
#include "knowledge/packages/sonames.h"

namespace culprit::logs {
namespace {

struct Family {
  std::string_view name;
  std::string_view pattern;  // for the whole stem
};

// The first match counts.
constexpr std::array kFamilies = {
    Family{"cudnn", "cudnn"},
    Family{"cudnn-part", "cudnn_.+"},
    Family{"driver", "cuda|nvcuda"},
    Family{"nvml", "nvidia-ml|nvml"},
    Family{"driver-other", "nvidia-.+"},
    Family{"cuda",
           "cudart|cudart32|cublas|cublaslt|cufftw?|curand|cusolver|cusolvermg|cusparse|cusparselt|nvrtc.*|"
           "nvjitlink|"
           "nvjpeg|cupti|npp.*|nvtoolsext|nvtx3interop|nvfatbin|nvblas|cufile|nvptxcompiler|nvvm"},
    Family{"nccl", "nccl.*"},
    Family{"cuda-extra",
           "nvshmem.*|cutensor.*|custatevec.*|cudensitymat.*|cudss.*|nvcomp.*|nvimgcodec.*|cvcuda.*|nvpl_.*"},
    Family{"tensorrt", "nvinfer.*|nvonnxparser.*|nvparsers.*"},
    Family{"zlib", "zlibwapi|z|zlib|zlib1"},
    Family{"msvc", "(?:msvcp|vcruntime|vcomp|concrt|libomp140|libiomp5md|mfc).*"},
    Family{"c-runtime", "stdc\\+\\+|gcc_s|m|c|gomp|pthread|dl|rt|omp"},
    Family{
        "framework",
        "(?:torch|c10|caffe2|fbgemm|shm|asmjit|onnxruntime|_pywrap_tensorflow|tensorflow|xla|jax|ctranslate2|"
        "paddle|mxnet|cv2|opencv|llama|ggml|_c).*|.*(?:[_-](?:cuda|cublas|cudnn|gpu)|_ext).*"},
};

std::string_view FamilyOf(std::string_view stem) {
  static const std::vector<std::unique_ptr<RE2>> kPatterns = [] {
    std::vector<std::unique_ptr<RE2>> patterns;
    for (const Family& family : kFamilies)
      patterns.push_back(
          std::make_unique<RE2>(re2::StringPiece(family.pattern.data(), family.pattern.size())));
    return patterns;
  }();
  for (size_t i = 0; i < kFamilies.size(); ++i) {
    if (RE2::FullMatch(re2::StringPiece(stem.data(), stem.size()), *kPatterns[i])) return kFamilies[i].name;
  }
  return "other";
}

// cudart64_110 -> 11.0, cublas64_12 -> 12, cublas64_92 -> 9.2.
void ReadWindowsCuda(const std::string& number, LibraryName& name) {
  if (number.size() < 2 || number.find_first_not_of("0123456789") != std::string::npos) {
    name.major = number.substr(0, number.find('_'));
    return;
  }
  const size_t split = number[0] == '1' ? 2 : 1;
  name.major = number.substr(0, split);
  if (number.size() > split) name.release = name.major + "." + number.substr(split);
}

void ReadCuda(std::string_view base, const std::string& number, LibraryName& name) {
  if (name.windows) {
    ReadWindowsCuda(number, name);
  } else {
    const size_t dot = number.find('.');
    name.major = number.substr(0, dot);
    if (dot != std::string::npos) name.release = number.substr(0, number.find('.', dot + 1));
  }
  // libcufft.so.11 belongs to CUDA 12, libcusolver.so.11 to 11 and 12: the table knows.
  const knowledge::SonameRow* row = knowledge::FindSoname(base);
  if (row == nullptr) return;
  name.major = knowledge::CudaMajorOf(*row);
  const bool one_release = row->cuda.size() == 1 && row->cuda[0].find('.') != std::string_view::npos;
  // libcudart.so.11.0 is that of 11.8 too.
  if (one_release || !name.release.empty())
    name.release = one_release ? std::string(row->cuda[0]) : name.major;
}

}  // namespace

LibraryName ReadLibraryName(std::string_view path) {
  static const RE2 kDll(R"(^(.+?)(?:64)?(?:_([\d_]+))?\.(?:dll|pyd))");
  static const RE2 kSo(R"(^(?:lib)?(.+?)(?:-[0-9a-f]{8})?\.so(?:\.([\d.]+))?)");
  const size_t slash = path.find_last_of("/\\");
  std::string base(slash == std::string_view::npos ? path : path.substr(slash + 1));
  LibraryName name;
  std::string lower = base;
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  name.windows = lower.find(".dll") != std::string::npos || lower.ends_with(".pyd");
  std::string number;
  if (!RE2::PartialMatch(lower, name.windows ? kDll : kSo, &name.stem, &number)) name.stem = lower;
  while (number.ends_with('.')) number.pop_back();
  name.versioned = !number.empty();
  name.family = FamilyOf(name.stem);
  if (name.family == "cudnn" || name.family == "cudnn-part") {
    name.major = number.substr(0, number.find_first_of("._"));
    const bool split_of_8 = name.stem.ends_with("_infer") || name.stem.ends_with("_train");
    if (name.major.empty() && split_of_8) name.major = "8";
  } else if (name.family == "cuda" && !number.empty()) {
    ReadCuda(base, number, name);
  } else {
    name.major = number.substr(0, number.find_first_of("._"));
  }
  return name;
}

}  // namespace culprit::logs
