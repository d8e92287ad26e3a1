// The value of a macro in a C header, for version headers: "#define CUDA_VERSION 13000".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace culprit::collect {

// The decimal number that `text` first defines `macro` as. nullopt if there is no definition, or if it is not
// a decimal number.
std::optional<uint32_t> MacroNumber(std::string_view text, std::string_view macro);

// "13.0" for cuda.h with 13000; "" if it has no version.
std::string CudaHeaderVersion(std::string_view text);
// "9.19.0" from cudnn_version.h (cuDNN 7 and older: cudnn.h); "" if it has no version.
std::string CudnnHeaderVersion(std::string_view text);

}  // namespace culprit::collect
