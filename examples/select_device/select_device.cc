// select_device [fast | INDEX | UUID]: takes the GPU that the user names, otherwise the one with the most
// free memory, and makes it the current device of the CUDA runtime.
#include <cuda_runtime.h>
#include <culprit/culprit.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace {

culprit::Wants Parse(const std::string& word) {
  culprit::Wants wants;
  if (word == "fast") {
    wants.policy = culprit::Policy::kHighestCapability;
  } else if (!word.empty() && word.find_first_not_of("0123456789") == std::string::npos) {
    wants.policy = culprit::Policy::kIndex;
    wants.index = std::atoi(word.c_str());
  } else if (!word.empty()) {
    wants.policy = culprit::Policy::kUuid;  // the beginning is enough
    wants.uuid = word;
  }
  return wants;
}

}  // namespace

int main(int argc, char** argv) try {
  const culprit::Readiness gpu = culprit::Preflight(Parse(argc > 1 ? argv[1] : ""));
  std::cout << gpu.line() << '\n';
  if (!gpu) return 1;
  CULPRIT_CUDA(cudaSetDevice(gpu.device().index));
  int current = -1;
  CULPRIT_CUDA(cudaGetDevice(&current));
  std::cout << "the runtime uses GPU " << current << '\n';
} catch (const culprit::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
