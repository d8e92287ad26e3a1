/* The few prototypes of the runtime that the examples call; our own words, for the fake libcudart. */
#ifndef FAKE_TOOLKIT_CUDA_RUNTIME_H_
#define FAKE_TOOLKIT_CUDA_RUNTIME_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { cudaSuccess = 0 } cudaError_t;
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaMalloc(void** memory, size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaGetLastError(void);

#ifdef __cplusplus
}
#endif
#endif
