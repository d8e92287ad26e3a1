#include "probe/cuda/cudnn.h"

namespace culprit::cuda {

std::string Cudnn::StatusName(int status) const {
  std::string name = cudnnGetErrorString ? Text(cudnnGetErrorString(status)) : "";
  return name.starts_with("CUDNN_STATUS_") ? name : "CUDNN_STATUS_" + std::to_string(status);
}

std::string Cudnn::StatusText(int) const {
  if (!cudnnGetLastErrorString) return "";
  char text[1024] = {};
  cudnnGetLastErrorString(text, sizeof(text) - 1);
  return text;
}

Cudnn OpenCudnn(const std::string& name) {
  Cudnn cudnn;
  const Library library = cudnn.library = Library::Open(name);
  const auto bind = [&library](auto& function, const char* symbol) { function.Bind(library, symbol); };
  bind(cudnn.cudnnGetVersion, "cudnnGetVersion");
  bind(cudnn.cudnnGetCudartVersion, "cudnnGetCudartVersion");
  bind(cudnn.cudnnGetErrorString, "cudnnGetErrorString");
  bind(cudnn.cudnnGetLastErrorString, "cudnnGetLastErrorString");
  bind(cudnn.cudnnCreate, "cudnnCreate");
  bind(cudnn.cudnnDestroy, "cudnnDestroy");
  bind(cudnn.cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor");
  bind(cudnn.cudnnDestroyTensorDescriptor, "cudnnDestroyTensorDescriptor");
  bind(cudnn.cudnnSetTensor4dDescriptor, "cudnnSetTensor4dDescriptor");
  bind(cudnn.cudnnCreateFilterDescriptor, "cudnnCreateFilterDescriptor");
  bind(cudnn.cudnnDestroyFilterDescriptor, "cudnnDestroyFilterDescriptor");
  bind(cudnn.cudnnSetFilter4dDescriptor, "cudnnSetFilter4dDescriptor");
  bind(cudnn.cudnnCreateConvolutionDescriptor, "cudnnCreateConvolutionDescriptor");
  bind(cudnn.cudnnDestroyConvolutionDescriptor, "cudnnDestroyConvolutionDescriptor");
  bind(cudnn.cudnnSetConvolution2dDescriptor, "cudnnSetConvolution2dDescriptor");
  bind(cudnn.cudnnSetConvolutionMathType, "cudnnSetConvolutionMathType");
  bind(cudnn.cudnnGetConvolutionForwardWorkspaceSize, "cudnnGetConvolutionForwardWorkspaceSize");
  bind(cudnn.cudnnGetConvolutionBackwardDataWorkspaceSize, "cudnnGetConvolutionBackwardDataWorkspaceSize");
  bind(cudnn.cudnnGetConvolutionBackwardFilterWorkspaceSize,
       "cudnnGetConvolutionBackwardFilterWorkspaceSize");
  bind(cudnn.cudnnConvolutionForward, "cudnnConvolutionForward");
  bind(cudnn.cudnnConvolutionBackwardData, "cudnnConvolutionBackwardData");
  bind(cudnn.cudnnConvolutionBackwardFilter, "cudnnConvolutionBackwardFilter");
  bind(cudnn.cudnnFindConvolutionForwardAlgorithm, "cudnnFindConvolutionForwardAlgorithm");
  bind(cudnn.cudnnFindConvolutionBackwardDataAlgorithm, "cudnnFindConvolutionBackwardDataAlgorithm");
  bind(cudnn.cudnnFindConvolutionBackwardFilterAlgorithm, "cudnnFindConvolutionBackwardFilterAlgorithm");
  return cudnn;
}

std::string CudnnVersionText(size_t version) {
  const size_t major_unit = version >= 10000 ? 10000 : 1000;
  return std::to_string(version / major_unit) + "." + std::to_string(version % major_unit / 100) + "." +
         std::to_string(version % 100);
}

}  // namespace culprit::cuda
