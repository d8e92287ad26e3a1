// An allocation that adapts, and a kernel launch that explains its failures. (In a .cu file, the launch is
// kernel<<<...>>> followed by CULPRIT_CUDA(cudaGetLastError()). Here the kernel is PTX, so any C++ compiler
// works.)
#include <cuda.h>
#include <cuda_runtime.h>
#include <culprit/culprit.h>

#include <cstddef>
#include <iostream>
#include <memory>
#include <vector>

namespace {

constexpr char kFill[] = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry fill(.param .u64 out)
{
  .reg .u32 %r1;
  .reg .u64 %rd1, %rd2;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};
using Buffer = std::unique_ptr<void, Free>;

// Allocates as much as possible: halves the size as long as the failure is lack of memory.
Buffer AllocateAtMost(std::size_t& bytes, std::size_t least) {
  for (;; bytes /= 2) {
    void* memory = nullptr;
    const culprit::Status status = CULPRIT_TRY_CUDA(cudaMalloc(&memory, bytes));
    if (status) return Buffer(memory);
    if (status.error().cause() != "out-of-memory" || bytes / 2 < least) throw status.error();
    std::clog << status.error().reason().summary << "; trying with half of " << bytes << " bytes\n";
    cudaGetLastError();  // the runtime keeps an error until it is read
  }
}

}  // namespace

int main() try {
  const culprit::Readiness gpu = culprit::Preflight();
  std::clog << gpu.line() << '\n';
  if (!gpu) return 1;
  CULPRIT_CUDA(cudaSetDevice(gpu.device().index));

  constexpr unsigned kThreads = 64;
  std::size_t bytes = std::size_t{1} << 20;
  const Buffer buffer = AllocateAtMost(bytes, kThreads * sizeof(unsigned));

  CUmodule module = nullptr;
  CUfunction fill = nullptr;
  CULPRIT_CUDA(cuModuleLoadData(&module, kFill));
  CULPRIT_CUDA(cuModuleGetFunction(&fill, module, "fill"));
  void* out = buffer.get();
  void* parameters[] = {&out};
  CULPRIT_CUDA(cuLaunchKernel(fill, 1, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr));
  CULPRIT_CUDA(cudaDeviceSynchronize());  // where the errors of the kernel itself come out

  std::vector<unsigned> values(kThreads);
  CULPRIT_CUDA(cudaMemcpy(values.data(), out, kThreads * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::cout << "the kernel wrote " << values.front() << " to " << values.back() << '\n';
  CULPRIT_CUDA(cuModuleUnload(module));
} catch (const culprit::Error& error) {
  std::cerr << error.what() << '\n';
  for (const std::string& command : error.reason().commands) std::cerr << "  $ " << command << '\n';
  return 1;
}
