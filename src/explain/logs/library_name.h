// What the name of a library says, on either system: libcudnn_ops_infer.so.8, cublas64_12.dll.
#pragma once

#include <string>
#include <string_view>

namespace culprit::logs {

struct LibraryName {
  std::string_view family;  // "cudnn", "cudnn-part", "cuda", "driver", "nvml", ... "other"
  std::string stem;         // "cudnn_ops_infer", "cublas"
  std::string major;        // of cuDNN, of CUDA, or the number in the name; "" = unknown
  std::string release;      // "10.0", "11": the CUDA that a name with a release in it belongs to
  bool windows = false;
  bool versioned = false;
};

// `name` may be a path on either system.
LibraryName ReadLibraryName(std::string_view name);

}  // namespace culprit::logs
