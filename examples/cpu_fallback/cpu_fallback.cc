// A program that runs with or without a GPU, and prints one line that says which, and why.
#include <culprit/culprit.h>

#include <iostream>
#include <numeric>
#include <vector>

namespace {

float SumOnCpu(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0F);
}

// Your kernels go here. This example is built without CUDA, so this is a stand-in.
float SumOnGpu(const std::vector<float>& values, const culprit::Device& /*device*/) {
  return SumOnCpu(values);
}

}  // namespace

int main() {
  culprit::Wants wants;
  wants.min_capability = {7, 0};                     // what the kernels were compiled for
  wants.min_free_memory = std::uint64_t{256} << 20;  // what they need
  const culprit::Readiness gpu = culprit::Preflight(wants);
  std::clog << gpu.line() << '\n';

  const std::vector<float> values(1000, 0.5F);
  const float sum = gpu ? SumOnGpu(values, gpu.device()) : SumOnCpu(values);
  std::cout << "sum: " << sum << '\n';
  return sum == 500.0F ? 0 : 1;
}
