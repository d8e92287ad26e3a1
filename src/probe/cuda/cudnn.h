// cuDNN 7, 8 and 9, as far as culprit calls them: the functions below have the same prototypes in all three.
// Status numbers do not: names come from cudnnGetErrorString. All handles and descriptors are pointers, enums
// int.
#pragma once

#include <cstddef>
#include <string>

#include "probe/cuda/function.h"

namespace culprit::cuda {

// cudnnConvolutionFwdAlgoPerf_t and its two sisters.
struct CudnnPerformance {
  int algorithm = 0;
  int status = 0;
  float time = 0;
  size_t memory = 0;
  int determinism = 0;
  int math_type = 0;
  int reserved[3] = {};
};

struct Cudnn {
  static constexpr int kNchw = 0, kFloat = 0, kCrossCorrelation = 1;
  static constexpr int kDefaultMath = 0, kFmaMath = 3;  // kFmaMath: from 8 on
  static constexpr int kImplicitGemm = 0, kImplicitPrecompGemm = 1;

  Library library;
  Function<size_t()> cudnnGetVersion;
  Function<size_t()> cudnnGetCudartVersion;
  Function<const char*(int)> cudnnGetErrorString;
  Function<void(char*, size_t)> cudnnGetLastErrorString;  // from 9 on
  Function<int(void**)> cudnnCreate;
  Function<int(void*)> cudnnDestroy;
  Function<int(void**)> cudnnCreateTensorDescriptor;
  Function<int(void*)> cudnnDestroyTensorDescriptor;
  Function<int(void*, int, int, int, int, int, int)> cudnnSetTensor4dDescriptor;
  Function<int(void**)> cudnnCreateFilterDescriptor;
  Function<int(void*)> cudnnDestroyFilterDescriptor;
  Function<int(void*, int, int, int, int, int, int)> cudnnSetFilter4dDescriptor;
  Function<int(void**)> cudnnCreateConvolutionDescriptor;
  Function<int(void*)> cudnnDestroyConvolutionDescriptor;
  Function<int(void*, int, int, int, int, int, int, int, int)> cudnnSetConvolution2dDescriptor;
  Function<int(void*, int)> cudnnSetConvolutionMathType;

  using WorkspaceSize = Function<int(void*, void*, void*, void*, void*, int, size_t*)>;
  WorkspaceSize cudnnGetConvolutionForwardWorkspaceSize, cudnnGetConvolutionBackwardDataWorkspaceSize,
      cudnnGetConvolutionBackwardFilterWorkspaceSize;
  // handle, alpha, two inputs each with its descriptor before it, convolution, algorithm, workspace and its
  // size, beta, the output with its descriptor before it.
  using Convolve = Function<int(void*, const void*, void*, const void*, void*, const void*, void*, int, void*,
                                size_t, const void*, void*, void*)>;
  Convolve cudnnConvolutionForward, cudnnConvolutionBackwardData, cudnnConvolutionBackwardFilter;
  using FindAlgorithms = Function<int(void*, void*, void*, void*, void*, int, int*, CudnnPerformance*)>;
  FindAlgorithms cudnnFindConvolutionForwardAlgorithm, cudnnFindConvolutionBackwardDataAlgorithm,
      cudnnFindConvolutionBackwardFilterAlgorithm;

  std::string StatusName(int status) const;
  std::string StatusText(int status) const;
};

Cudnn OpenCudnn(const std::string& name);

// 7605 -> "7.6.5", 8907 -> "8.9.7", 91900 -> "9.19.0": cudnnGetVersion counts otherwise from 9 on.
std::string CudnnVersionText(size_t version);

}  // namespace culprit::cuda
