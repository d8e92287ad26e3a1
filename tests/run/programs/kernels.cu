// Small kernels that fail, one for each command-line word. on_gpu.py finds the lines by their comments.
#include <cassert>
#include <cstdio>
#include <cstring>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    const cudaError_t error = (call);                                                       \
    if (error != cudaSuccess) {                                                             \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                   \
      return 1;                                                                             \
    }                                                                                       \
  } while (0)

__global__ void Store(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i + n] = i;  // line: illegal
}

__global__ void Guard(const int* data, int n) {
  const int i = threadIdx.x;
  assert(data == nullptr || i < n);  // line: assert
}

__global__ void Sum(int* data) {
  __shared__ int shared[64];
  shared[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = shared[63 - threadIdx.x];  // line: race
}

__global__ void Copy(const int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x];  // line: uninitialised
}

__global__ void Spin(volatile int* flag) {
  while (*flag == 0) {
  }
}

int main(int, char** arguments) {
  const char* what = arguments[1] == nullptr ? "" : arguments[1];
  int *data = nullptr, *other = nullptr;
  CHECK(cudaMalloc(&data, 256 * sizeof(int)));
  CHECK(cudaMalloc(&other, 256 * sizeof(int)));
  std::printf("begins: %s\n", what);
  std::fflush(stdout);
  if (std::strcmp(what, "illegal") == 0) Store<<<4, 64>>>(data, 1 << 28);
  if (std::strcmp(what, "assert") == 0) Guard<<<1, 64>>>(data, 60);
  if (std::strcmp(what, "race") == 0) Sum<<<1, 64>>>(data);
  if (std::strcmp(what, "uninitialised") == 0) Copy<<<1, 64>>>(data, other);
  if (std::strcmp(what, "hang") == 0) {
    CHECK(cudaMemset(data, 0, sizeof(int)));
    Spin<<<1, 1>>>(data);
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(other, data, 64 * sizeof(int), cudaMemcpyDeviceToDevice));
  CHECK(cudaDeviceSynchronize());
  std::printf("ends\n");
  return 0;
}
