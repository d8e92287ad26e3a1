// What the names of CUDA DLLs say: cudnn_ops_infer64_8.dll is the part cudnn_ops_infer of cuDNN 8 for 64-bit
// programs, cublas64_12.dll belongs to CUDA 12, nvrtc64_112_0.dll to 11.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes/byte_source.h"
#include "binfmt/pe/pe.h"

namespace culprit::collect {

struct CudnnDllName {
  std::string part;  // "cudnn", "cudnn_ops_infer"
  uint32_t major = 0;
};
// Letters of either case, and as delvewheel renames files ("cudnn64_8-0123456789abcdef.dll"); nullopt for a
// name that is not cuDNN's.
std::optional<CudnnDllName> ParseCudnnDll(std::string_view name);
// ("cudnn_ops", 9) -> "cudnn_ops64_9.dll".
std::string CudnnDll(std::string_view part, uint32_t major);

// The CUDA major in the name of a DLL that changes with it: "12", "11"; "" for all others.
std::string CudaInDllName(std::string_view name);
// The CUDA major version of a file, by its own name or by what it imports; "" if neither says.
std::string CudaOfDll(const std::string& path, const binfmt::PeFile& pe);

// cuDNN imports no CUDA library, but some of its parts contain the name of the cuBLAS that they open. "" for
// the others.
std::string CudaNamedInside(std::string_view part, const base::ByteSource& bytes);

}  // namespace culprit::collect
