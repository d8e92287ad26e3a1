// The value of a macro in a C header, for version headers: "#define CUDA_VERSION 13000".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace culprit::collect {

// The plain number that `text` defines `macro` as; the first definition counts. nullopt when there is none,
// or it is something else than a decimal number.
std::optional<uint32_t> MacroNumber(std::string_view text, std::string_view macro);

// "13.0" of cuda.h's 13000; "" when it does not tell.
std::string CudaHeaderVersion(std::string_view text);
// "9.19.0" of cudnn_version.h (cudnn.h of cuDNN 7 and older); "" when it does not tell.
std::string CudnnHeaderVersion(std::string_view text);

}  // namespace culprit::collect
