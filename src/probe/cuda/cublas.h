// cuBLAS and cuBLASLt, as far as culprit calls them: one product of matrices of floats. Both count statuses
// alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "probe/cuda/function.h"

namespace culprit::cuda {

struct Cublas {
  Library library;
  Function<const char*(int)> cublasGetStatusName;  // from 11.4 on
  Function<int(void**)> cublasCreate;
  Function<int(void*)> cublasDestroy;
  Function<int(void*, int*)> cublasGetVersion;
  Function<int(void*, int, int, int, int, int, const float*, const float*, int, const float*, int,
               const float*, float*, int)>
      cublasSgemm;

  std::string StatusName(int status) const;
  std::string StatusText(int) const { return ""; }
};

struct CublasLt {
  static constexpr int kFloat = 0;            // CUDA_R_32F
  static constexpr int kComputeInFloat = 68;  // CUBLAS_COMPUTE_32F; before 11 this was a data type
  Library library;
  Function<const char*(int)> cublasLtGetStatusName;
  Function<size_t()> cublasLtGetVersion;
  Function<int(void**)> cublasLtCreate;
  Function<int(void*)> cublasLtDestroy;
  Function<int(void**, int, int)> cublasLtMatmulDescCreate;  // before 11 without the third
  Function<int(void*)> cublasLtMatmulDescDestroy;
  Function<int(void**, int, uint64_t, uint64_t, int64_t)> cublasLtMatrixLayoutCreate;
  Function<int(void*)> cublasLtMatrixLayoutDestroy;
  Function<int(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*,
               void*, void*, void*, const void*, void*, size_t, void*)>
      cublasLtMatmul;

  std::string StatusName(int status) const;
  std::string StatusText(int) const { return ""; }
};

Cublas OpenCublas(const std::string& name);
CublasLt OpenCublasLt(const std::string& name);

}  // namespace culprit::cuda
