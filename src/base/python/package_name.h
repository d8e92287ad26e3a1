// Python package names, normalized as on PyPI.
#pragma once

#include <string>
#include <string_view>

namespace culprit::base {

// In lower case, with one '-' for each run of "-", "_" and ".": "Nvidia_cuDNN.cu12" -> "nvidia-cudnn-cu12".
std::string NormalName(std::string_view name);

}  // namespace culprit::base
