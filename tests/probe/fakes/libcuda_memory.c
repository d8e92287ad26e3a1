// Memory, streams and kernels of the fake driver: memory is malloc, a copy is memcpy, a kernel is PTX read
// line by line (ptx.c).
#include "libcuda.h"
#include "ptx.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { kLarge = 256 << 20 };
static struct allocation {
  char* at;
  size_t size;
  int device;
} allocations[256];
static int used;  // no allocation is at this place or behind it

static uint64_t Taken(int device) {
  uint64_t sum = fake_primary[device].retained > 0 ? FAKE_CONTEXT_BYTES : 0;
  for (int i = 0; i < used; ++i)
    if (allocations[i].at != NULL && allocations[i].device == device) sum += allocations[i].size;
  return sum;
}

// Whether the range lies in one allocation.
static int OnDevice(CUdeviceptr at, size_t size) {
  for (int i = 0; i < used; ++i) {
    const uint64_t begin = (uint64_t)(uintptr_t)allocations[i].at;
    if (begin != 0 && at >= begin && size <= allocations[i].size && at - begin <= allocations[i].size - size)
      return 1;
  }
  return 0;
}

EXPORT int cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  CONTEXT();
  const uint64_t taken = Taken(fake_current->device), all = fake_free(fake_current->device);
  *free_bytes = all > taken ? all - taken : 0;
  *total = fake_total();
  return 0;
}
// A program that takes most of the device gets room for it, but no memory before it writes there.
static void* Give(size_t size) {
  if (size > kLarge) return fake_reserve(size);
  void* at = malloc(size);
  if (at != NULL) memset(at, 0xa5, size);  // memory of a device is never clean
  return at;
}
EXPORT int cuMemAlloc_v2(CUdeviceptr* pointer, size_t size) {
  CONTEXT();
  if (size == 0) return kInvalidValue;
  pthread_mutex_lock(&lock);
  int status = kOutOfMemory;
  if (size <= fake_free(fake_current->device) &&
      Taken(fake_current->device) <= fake_free(fake_current->device) - size) {
    for (int i = 0; i < 256 && status != 0; ++i) {
      if (allocations[i].at != NULL) continue;
      allocations[i].at = Give(size);
      if (allocations[i].at == NULL) break;
      if (i >= used) used = i + 1;
      allocations[i].size = size;
      allocations[i].device = fake_current->device;
      *pointer = (CUdeviceptr)(uintptr_t)allocations[i].at;
      status = 0;
    }
  }
  pthread_mutex_unlock(&lock);
  return status;
}
EXPORT int cuMemFree_v2(CUdeviceptr pointer) {
  CONTEXT();
  if (pointer == 0) return 0;
  for (int i = 0; i < used; ++i) {
    if (allocations[i].at != (char*)(uintptr_t)pointer) continue;
    if (allocations[i].size > kLarge)
      fake_release(allocations[i].at, allocations[i].size);
    else
      free(allocations[i].at);
    allocations[i].at = NULL;
    return 0;
  }
  return kInvalidValue;
}

// wrong = 1: the last byte arrives with one bit turned.
static int Copy(void* to, const void* from, size_t size, int wrong) {
  memcpy(to, from, size);
  if (wrong && size > 0) ((char*)to)[size - 1] ^= 0x10;
  return 0;
}
#define HOST(pointer) ((void*)(uintptr_t)(pointer))
EXPORT int cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t size) {
  CONTEXT();
  return OnDevice(to, size) ? Copy(HOST(to), from, size, WRONG()) : kInvalidValue;
}
EXPORT int cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t size) {
  CONTEXT();
  return OnDevice(from, size) ? Copy(to, HOST(from), size, WRONG()) : kInvalidValue;
}
EXPORT int cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size) {
  CONTEXT();
  return OnDevice(to, size) && OnDevice(from, size) ? Copy(HOST(to), HOST(from), size, WRONG())
                                                    : kInvalidValue;
}
EXPORT int cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t size, void* stream) {
  CONTEXT();
  (void)stream;
  return OnDevice(to, size) ? Copy(HOST(to), from, size, WRONG()) : kInvalidValue;
}
EXPORT int cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t size, void* stream) {
  CONTEXT();
  (void)stream;
  return OnDevice(from, size) ? Copy(to, HOST(from), size, WRONG()) : kInvalidValue;
}
EXPORT int cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size) {
  CONTEXT();
  return Copy(HOST(to), HOST(from), size, WRONG());
}
EXPORT int cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                        size_t size) {
  CONTEXT();
  if (to_context == NULL || from_context == NULL) return kInvalidContext;
  return OnDevice(to, size) && OnDevice(from, size) ? Copy(HOST(to), HOST(from), size, WRONG())
                                                    : kInvalidValue;
}
EXPORT int cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  CONTEXT();
  if (!OnDevice(to, count)) return kInvalidValue;
  memset(HOST(to), value, count);
  return 0;
}
EXPORT int cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  CONTEXT();
  if (!OnDevice(to, 4 * count)) return kInvalidValue;
  for (size_t i = 0; i < count; ++i) memcpy((char*)HOST(to) + 4 * i, &value, 4);
  return 0;
}

EXPORT int cuStreamCreate(void** stream, unsigned flags) {
  CONTEXT();
  (void)flags;
  *stream = &lock;
  return 0;
}
EXPORT int cuStreamSynchronize(void* stream) {
  CONTEXT();
  (void)stream;
  return 0;
}
EXPORT int cuStreamDestroy_v2(void* stream) {
  CONTEXT();
  (void)stream;
  return 0;
}

static int LoadPtx(struct ptx_module** module, const void* image) {
  switch (ptx_load(image, module)) {
    case kPtxLoaded:
      return 0;
    case kPtxNoText:
      return kInvalidImage;
    default:
      return kInvalidPtx;
  }
}
EXPORT int cuModuleLoadData(struct ptx_module** module, const void* image) {
  CONTEXT();
  return LoadPtx(module, image);
}
EXPORT int cuModuleLoadDataEx(struct ptx_module** module, const void* image, unsigned count, int* options,
                              void** values) {
  CONTEXT();
  const int status = LoadPtx(module, image);
  for (unsigned i = 0; i < count; ++i)  // 5: the buffer for what the compiler has to say, 6: its size
    if (status != 0 && options[i] == 5 && values[i] != NULL && i + 1 < count && options[i + 1] == 6)
      snprintf(values[i], (size_t)(uintptr_t)values[i + 1], "%s", "fake: not a kernel that I can read");
  return status;
}
EXPORT int cuModuleUnload(struct ptx_module* module) {
  CONTEXT();
  ptx_unload(module);
  return 0;
}
EXPORT int cuModuleGetFunction(struct ptx_function** function, struct ptx_module* module, const char* name) {
  CONTEXT();
  *function = ptx_find(module, name);
  return *function == NULL ? kNotFound : 0;
}
EXPORT int cuLaunchKernel(struct ptx_function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void* stream,
                          void** parameters, void** extra) {
  CONTEXT();
  (void)shared;
  (void)stream;
  if (function == NULL || extra != NULL || grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 ||
      block_x == 0 || block_x > 1024 || grid_x == 0)
    return kInvalidValue;
  return ptx_run(function, grid_x, block_x, parameters, OnDevice, WRONG()) ? 0 : kIllegalAddress;
}
