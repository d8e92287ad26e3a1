#include "probe/cuda/nvrtc.h"

namespace culprit::cuda {

std::string Nvrtc::StatusName(int status) const {
  const std::string name = nvrtcGetErrorString ? Text(nvrtcGetErrorString(status)) : "";
  return name.starts_with("NVRTC_ERROR_") ? name : "NVRTC_ERROR_" + std::to_string(status);
}

Nvrtc OpenNvrtc(const std::string& name) {
  Nvrtc nvrtc;
  const Library library = nvrtc.library = Library::Open(name);
  nvrtc.nvrtcVersion.Bind(library, "nvrtcVersion");
  nvrtc.nvrtcGetErrorString.Bind(library, "nvrtcGetErrorString");
  nvrtc.nvrtcCreateProgram.Bind(library, "nvrtcCreateProgram");
  nvrtc.nvrtcDestroyProgram.Bind(library, "nvrtcDestroyProgram");
  nvrtc.nvrtcCompileProgram.Bind(library, "nvrtcCompileProgram");
  nvrtc.nvrtcGetProgramLogSize.Bind(library, "nvrtcGetProgramLogSize");
  nvrtc.nvrtcGetProgramLog.Bind(library, "nvrtcGetProgramLog");
  nvrtc.nvrtcGetPTXSize.Bind(library, "nvrtcGetPTXSize");
  nvrtc.nvrtcGetPTX.Bind(library, "nvrtcGetPTX");
  nvrtc.nvrtcGetCUBINSize.Bind(library, "nvrtcGetCUBINSize");
  nvrtc.nvrtcGetCUBIN.Bind(library, "nvrtcGetCUBIN");
  return nvrtc;
}

}  // namespace culprit::cuda
