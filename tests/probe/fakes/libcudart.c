// The CUDA runtime on top of the (fake) driver, which it finds with dlopen like the real one. Where it matters,
// driver and runtime use the same status numbers: 2 memory, 35 old driver, 100 no device.
#include <stdint.h>

#include "driver_door.h"

#ifndef FAKE_CUDART_VERSION
#define FAKE_CUDART_VERSION 13000
#endif

static __thread int last;
static __thread int device;

static int Keep(int status) {
  if (status != 0) last = status;
  return status;
}

typedef int (*call_pointer)(void*);
typedef int (*call_copy)(uint64_t, uint64_t, size_t);

// Context of the chosen device. 35: the driver is missing or older than the runtime.
static int Begin(void) {
  call_pointer version = (call_pointer)fake_driver_function("cuDriverGetVersion");
  int (*init)(unsigned) = (int (*)(unsigned))fake_driver_function("cuInit");
  int (*retain)(void**, int) = (int (*)(void**, int))fake_driver_function("cuDevicePrimaryCtxRetain");
  call_pointer set = (call_pointer)fake_driver_function("cuCtxSetCurrent");
  static __thread void* contexts[16];
  int number = 0;
  if (version == NULL || init == NULL || retain == NULL || set == NULL) return 35;
  int status = init(0);
  if (status != 0) return status;
  if (version(&number) != 0 || number / 1000 < FAKE_CUDART_VERSION / 1000) return 35;
  if (contexts[device] == NULL) status = retain(&contexts[device], device);
  return status != 0 ? status : set(contexts[device]);
}

EXPORT int cudaRuntimeGetVersion(int* version) {
  MISBEHAVE();
  *version = FAKE_CUDART_VERSION;
  return 0;
}
EXPORT int cudaDriverGetVersion(int* version) {
  MISBEHAVE();
  call_pointer get = (call_pointer)fake_driver_function("cuDriverGetVersion");
  *version = 0;
  return get == NULL ? 0 : Keep(get(version));
}
EXPORT int cudaGetDeviceCount(int* count) {
  MISBEHAVE();
  *count = 0;
  int (*init)(unsigned) = (int (*)(unsigned))fake_driver_function("cuInit");
  call_pointer get = (call_pointer)fake_driver_function("cuDeviceGetCount");
  if (init == NULL || get == NULL) return Keep(35);
  const int status = init(0);
  return Keep(status != 0 ? status : get(count));
}
EXPORT int cudaSetDevice(int wanted) {
  MISBEHAVE();
  int count = 0;
  const int status = cudaGetDeviceCount(&count);
  if (status != 0) return status;
  if (wanted < 0 || wanted >= count) return Keep(101);
  device = wanted;
  return Keep(Begin());
}
EXPORT int cudaGetDevice(int* now) {
  MISBEHAVE();
  *now = device;
  return 0;
}
EXPORT int cudaDeviceGetAttribute(int* value, int attribute, int which) {
  MISBEHAVE();
  int (*get)(int*, int, int) = (int (*)(int*, int, int))fake_driver_function("cuDeviceGetAttribute");
  const int status = Begin();
  return Keep(status != 0 ? status : get(value, attribute, which));
}
EXPORT int cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  MISBEHAVE();
  int (*get)(size_t*, size_t*) = (int (*)(size_t*, size_t*))fake_driver_function("cuMemGetInfo_v2");
  const int status = Begin();
  return Keep(status != 0 ? status : get(free_bytes, total));
}
EXPORT int cudaMalloc(void** pointer, size_t size) {
  MISBEHAVE();
  int (*give)(void**, size_t) = (int (*)(void**, size_t))fake_driver_function("cuMemAlloc_v2");
  const int status = Begin();
  return Keep(status != 0 ? status : give(pointer, size));
}
EXPORT int cudaFree(void* pointer) {
  MISBEHAVE();
  call_pointer take = (call_pointer)fake_driver_function("cuMemFree_v2");
  const int status = Begin();
  return Keep(status != 0 ? status : take(pointer));
}
// kind: 0 host to host, 1 to the device, 2 from the device, 3 on the device, 4 by address
EXPORT int cudaMemcpy(void* to, const void* from, size_t size, int kind) {
  MISBEHAVE();
  static const char* calls[] = {"cuMemcpy", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemcpyDtoD_v2",
                                "cuMemcpy"};
  if (kind < 0 || kind > 4) return Keep(21);  // cudaErrorInvalidMemcpyDirection
  call_copy copy = (call_copy)fake_driver_function(calls[kind]);
  int status = Begin();
  if (status == 0) status = copy((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size);
  if (status == 0 && size > 0 && WRONG()) ((char*)to)[size / 2] ^= 1;
  return Keep(status);
}
EXPORT int cudaMemset(void* to, int value, size_t size) {
  MISBEHAVE();
  int (*set)(void*, unsigned char, size_t) =
      (int (*)(void*, unsigned char, size_t))fake_driver_function("cuMemsetD8_v2");
  const int status = Begin();
  return Keep(status != 0 ? status : set(to, (unsigned char)value, size));
}
EXPORT int cudaDeviceSynchronize(void) {
  MISBEHAVE();
  return Keep(Begin());
}
EXPORT int cudaDeviceReset(void) {
  MISBEHAVE();
  return 0;
}
EXPORT int cudaGetLastError(void) {
  const int status = last;
  last = 0;
  return status;
}
EXPORT int cudaPeekAtLastError(void) { return last; }

static const struct {
  int status;
  const char *name, *text;
} errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, "cudaErrorInitializationError", "initialization error"},
    {34, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
    {35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    {46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {999, "cudaErrorUnknown", "unknown error"},
};
static const char* ErrorWord(int status, int text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (errors[i].status == status) return text ? errors[i].text : errors[i].name;
  return "unrecognized error code";
}
EXPORT const char* cudaGetErrorName(int status) { return ErrorWord(status, 0); }
EXPORT const char* cudaGetErrorString(int status) { return ErrorWord(status, 1); }
