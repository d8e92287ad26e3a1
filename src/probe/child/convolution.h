// One convolution through cuDNN's legacy functions, which 7, 8 and 9 all have: forward, backward to the
// image, and backward to the filters. All three take two tensors and produce a third, so they share their
// code.
#pragma once

#include <optional>
#include <vector>

#include "probe/child/device_memory.h"
#include "probe/child/on_host.h"
#include "probe/child/session.h"

namespace culprit::prober {

class Convolution {
 public:
  explicit Convolution(Session& session);
  ~Convolution();
  Convolution(const Convolution&) = delete;
  Convolution& operator=(const Convolution&) = delete;

  // The session's cuDNN has a handle. Descriptors are made, tensors sent.
  std::optional<Failure> Prepare();

  struct Direction {
    const char* name;  // "forward"
    const cuda::Cudnn::FindAlgorithms* find;
    const cuda::Cudnn::WorkspaceSize* workspace_size;
    const cuda::Cudnn::Convolve* convolve;
    void *first, *second, *result;  // descriptors
    const DeviceMemory *first_data, *second_data;
    std::vector<float> expected;
  };
  Direction Forward() const;
  Direction ToImage() const;
  Direction ToFilter() const;

  // `math_type` nullopt: exact floats, as Prepare set it. `error`: relative, of the result.
  std::optional<Failure> Run(const Direction& direction, int algorithm, std::optional<int> math_type,
                             double& error);
  // Those that succeeded.
  std::optional<Failure> Find(const Direction& direction, std::vector<cuda::CudnnPerformance>& algorithms);

  // The tolerance for a result.
  double Tolerance(std::optional<int> math_type) const;

 private:
  int ExactMath() const;
  std::optional<Failure> Describe();

  Session& session_;
  const cuda::Cudnn& cudnn_;
  ConvolutionShape shape_;
  std::vector<float> image_, filter_, gradient_;
  void *image_descriptor_ = nullptr, *result_descriptor_ = nullptr, *filter_descriptor_ = nullptr,
       *descriptor_ = nullptr;
  DeviceMemory image_data_, filter_data_, gradient_data_;
};

}  // namespace culprit::prober
