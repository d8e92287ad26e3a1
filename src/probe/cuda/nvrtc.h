// NVRTC, the compiler as a library, as far as culprit calls it.
#pragma once

#include <cstddef>
#include <string>

#include "probe/cuda/function.h"

namespace culprit::cuda {

struct Nvrtc {
  Library library;
  Function<int(int*, int*)> nvrtcVersion;
  Function<const char*(int)> nvrtcGetErrorString;
  Function<int(void**, const char*, const char*, int, const char* const*, const char* const*)>
      nvrtcCreateProgram;
  Function<int(void**)> nvrtcDestroyProgram;
  Function<int(void*, int, const char* const*)> nvrtcCompileProgram;
  Function<int(void*, size_t*)> nvrtcGetProgramLogSize;
  Function<int(void*, char*)> nvrtcGetProgramLog;
  Function<int(void*, size_t*)> nvrtcGetPTXSize;
  Function<int(void*, char*)> nvrtcGetPTX;
  Function<int(void*, size_t*)> nvrtcGetCUBINSize;  // from 11.1 on
  Function<int(void*, char*)> nvrtcGetCUBIN;

  std::string StatusName(int status) const;
  std::string StatusText(int) const { return ""; }
};

Nvrtc OpenNvrtc(const std::string& name);

}  // namespace culprit::cuda
