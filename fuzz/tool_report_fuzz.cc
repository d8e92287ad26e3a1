// Any bytes as what compute-sanitizer or cuda-gdb wrote: a bounded number of different errors.
#include <cstddef>
#include <cstdint>

#include "require.h"
#include "run/tools/kernel_errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace run = culprit::run;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& findings : {run::ReadSanitizerReport(text), run::ReadCudaGdbLog(text)}) {
    Require(findings.errors.size() <= run::kMostKernelErrors);
  }
  std::string file;
  uint64_t line = 0;
  if (run::SplitFileLine(text, file, line)) Require(file.size() < size);
  return 0;
}
