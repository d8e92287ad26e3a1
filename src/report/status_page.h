// The page of a status code of CUDA, cuDNN, NVML, the Windows loader, or a kernel message: what it means and
// what causes it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace culprit::report {

struct StatusPage {
  std::string name;     // "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH / cudaErrorSystemDriverMismatch"
  std::string of;       // "CUDA", "cuDNN", "NVML", "Windows loader", "Xid" ...
  std::string number;   // "803", or in words where it differs: "1 in cuDNN 7 and 8, 1001 in cuDNN 9"
  std::string meaning;  // one or two sentences
  std::vector<std::pair<std::string, std::string>> causes;  // slug and meaning, most likely first
  std::string source;
};

}  // namespace culprit::report
