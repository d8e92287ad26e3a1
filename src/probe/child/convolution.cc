#include "probe/child/convolution.h"

#include <algorithm>

#include "probe/child/pattern.h"

namespace culprit::prober {
namespace {

int Int(size_t value) { return static_cast<int>(value); }

}  // namespace

Convolution::Convolution(Session& session)
    : session_(session),
      cudnn_(session.cudnn()),
      image_(FloatPattern(shape_.ImageSize(), 21)),
      filter_(FloatPattern(shape_.FilterSize(), 22)),
      gradient_(FloatPattern(shape_.ResultSize(), 23)),
      image_data_(session.driver()),
      filter_data_(session.driver()),
      gradient_data_(session.driver()) {}

Convolution::~Convolution() {
  const auto destroy = [](const cuda::Function<int(void*)>& function, void* descriptor) {
    if (descriptor != nullptr && function) function(descriptor);
  };
  destroy(cudnn_.cudnnDestroyTensorDescriptor, image_descriptor_);
  destroy(cudnn_.cudnnDestroyTensorDescriptor, result_descriptor_);
  destroy(cudnn_.cudnnDestroyFilterDescriptor, filter_descriptor_);
  destroy(cudnn_.cudnnDestroyConvolutionDescriptor, descriptor_);
}

int Convolution::ExactMath() const {
  const bool from_8_on = cudnn_.cudnnGetVersion && cudnn_.cudnnGetVersion() >= 8000;
  return from_8_on ? cuda::Cudnn::kFmaMath : cuda::Cudnn::kDefaultMath;
}

double Convolution::Tolerance(std::optional<int> math_type) const {
  return !math_type || *math_type == ExactMath() ? 1e-3 : 2e-2;  // TF32 and the like
}

std::optional<Failure> Convolution::Describe() {
  using cuda::Cudnn;
  const Cudnn& c = cudnn_;
  const ConvolutionShape& s = shape_;
  std::optional<Failure> f;
  if ((f = Try(c, c.cudnnCreateTensorDescriptor, &image_descriptor_))) return f;
  if ((f = Try(c, c.cudnnSetTensor4dDescriptor, image_descriptor_, Cudnn::kNchw, Cudnn::kFloat, Int(s.batch),
               Int(s.channels), Int(s.height), Int(s.width)))) {
    return f;
  }
  if ((f = Try(c, c.cudnnCreateTensorDescriptor, &result_descriptor_))) return f;
  if ((f = Try(c, c.cudnnSetTensor4dDescriptor, result_descriptor_, Cudnn::kNchw, Cudnn::kFloat, Int(s.batch),
               Int(s.filters), Int(s.height), Int(s.width)))) {
    return f;
  }
  if ((f = Try(c, c.cudnnCreateFilterDescriptor, &filter_descriptor_))) return f;
  if ((f = Try(c, c.cudnnSetFilter4dDescriptor, filter_descriptor_, Cudnn::kFloat, Cudnn::kNchw,
               Int(s.filters), Int(s.channels), Int(s.kernel), Int(s.kernel)))) {
    return f;
  }
  if ((f = Try(c, c.cudnnCreateConvolutionDescriptor, &descriptor_))) return f;
  if ((f = Try(c, c.cudnnSetConvolution2dDescriptor, descriptor_, Int(s.pad), Int(s.pad), 1, 1, 1, 1,
               Cudnn::kCrossCorrelation, Cudnn::kFloat))) {
    return f;
  }
  return Try(c, c.cudnnSetConvolutionMathType, descriptor_, ExactMath());
}

std::optional<Failure> Convolution::Prepare() {
  if (auto failure = Describe()) return failure;
  if (auto failure = image_data_.AllocateAndFill(image_)) return failure;
  return filter_data_.AllocateAndFill(filter_);
}

Convolution::Direction Convolution::Forward() const {
  return {"forward",
          &cudnn_.cudnnFindConvolutionForwardAlgorithm,
          &cudnn_.cudnnGetConvolutionForwardWorkspaceSize,
          &cudnn_.cudnnConvolutionForward,
          image_descriptor_,
          filter_descriptor_,
          result_descriptor_,
          &image_data_,
          &filter_data_,
          Convolve(shape_, image_, filter_)};
}

Convolution::Direction Convolution::ToImage() const {
  return {"backward_data",
          &cudnn_.cudnnFindConvolutionBackwardDataAlgorithm,
          &cudnn_.cudnnGetConvolutionBackwardDataWorkspaceSize,
          &cudnn_.cudnnConvolutionBackwardData,
          filter_descriptor_,
          result_descriptor_,
          image_descriptor_,
          &filter_data_,
          &gradient_data_,
          ConvolveBackToImage(shape_, filter_, gradient_)};
}

Convolution::Direction Convolution::ToFilter() const {
  return {"backward_filter",
          &cudnn_.cudnnFindConvolutionBackwardFilterAlgorithm,
          &cudnn_.cudnnGetConvolutionBackwardFilterWorkspaceSize,
          &cudnn_.cudnnConvolutionBackwardFilter,
          image_descriptor_,
          result_descriptor_,
          filter_descriptor_,
          &image_data_,
          &gradient_data_,
          ConvolveBackToFilter(shape_, image_, gradient_)};
}

std::optional<Failure> Convolution::Run(const Direction& direction, int algorithm,
                                        std::optional<int> math_type, double& error) {
  if (direction.second_data == &gradient_data_ && gradient_data_.address() == 0) {
    if (auto failure = gradient_data_.AllocateAndFill(gradient_)) return failure;
  }
  if (auto failure =
          Try(cudnn_, cudnn_.cudnnSetConvolutionMathType, descriptor_, math_type.value_or(ExactMath()))) {
    return failure;
  }
  void* handle = session_.cudnn_handle();
  size_t bytes = 0;
  if (auto failure = Try(cudnn_, *direction.workspace_size, handle, direction.first, direction.second,
                         descriptor_, direction.result, algorithm, &bytes)) {
    return failure;
  }
  DeviceMemory workspace(session_.driver()), result(session_.driver());
  if (auto failure = workspace.Allocate(bytes)) return failure;
  // Not zeros: a library that writes nothing must not pass.
  std::vector<float> values(direction.expected.size(), 1e6F);
  if (auto failure = result.AllocateAndFill(values)) return failure;
  const float one = 1, zero = 0;
  if (auto failure =
          Try(cudnn_, *direction.convolve, handle, &one, direction.first, direction.first_data->pointer(),
              direction.second, direction.second_data->pointer(), descriptor_, algorithm, workspace.pointer(),
              bytes, &zero, direction.result, result.pointer())) {
    return failure;
  }
  if (auto failure = result.Read(values.data(), values.size() * sizeof(float))) return failure;
  error = RelativeError(direction.expected, values);
  return std::nullopt;
}

std::optional<Failure> Convolution::Find(const Direction& direction,
                                         std::vector<cuda::CudnnPerformance>& algorithms) {
  constexpr int kMost = 16;
  algorithms.resize(kMost);
  int count = 0;
  if (auto failure = Try(cudnn_, *direction.find, session_.cudnn_handle(), direction.first, direction.second,
                         descriptor_, direction.result, kMost, &count, algorithms.data())) {
    return failure;
  }
  algorithms.resize(static_cast<size_t>(std::clamp(count, 0, kMost)));
  std::erase_if(algorithms, [](const cuda::CudnnPerformance& told) { return told.status != 0; });
  return std::nullopt;
}

}  // namespace culprit::prober
