// Which library a CUDA call belongs to, and what saw it fail. The words are those of records and JSON.
#pragma once

#include <array>
#include <string_view>

#include "base/words.h"

namespace culprit::base {

enum class CudaApi { kUnknown, kDriver, kRuntime, kCudnn, kCublas };
constexpr std::array<std::string_view, 5> WordsOf(CudaApi) {
  return {"", "driver", "runtime", "cudnn", "cublas"};
}

enum class CallSource { kUnknown, kCupti, kCudaLog, kCudnnLog };
constexpr std::array<std::string_view, 4> WordsOf(CallSource) {
  return {"", "CUPTI", "CUDA_LOG_FILE", "cuDNN log"};
}

}  // namespace culprit::base
