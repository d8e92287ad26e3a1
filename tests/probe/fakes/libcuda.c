// A driver without a device: memory is malloc, a copy is memcpy, a kernel is PTX interpreted line by line (ptx.c).
// Prototypes as in cuda.h of CUDA 13; CUDA_VISIBLE_DEVICES works as with the real one.
#include <pthread.h>
#include <stdint.h>

#include "machine.h"
#include "ptx.h"

typedef uint64_t CUdeviceptr;
typedef struct fake_context {
  int device;
  int retained;
}* CUcontext;

enum {
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kUnavailable = 46,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kInvalidPtx = 218,
  kNotFound = 500,
  kIllegalAddress = 700,
  kPeerAlready = 704
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started;
static int visible[FAKE_MOST_DEVICES];  // CUDA's index -> the machine's
static int visible_count;
static struct fake_context primary[FAKE_MOST_DEVICES];
static __thread CUcontext current;

enum { kLarge = 256 << 20 };
static struct allocation {
  char* at;
  size_t size;
  int device;
} allocations[256];
static int used;  // no allocation is at this place or behind it

static uint64_t Taken(int device) {
  uint64_t sum = primary[device].retained > 0 ? FAKE_CONTEXT_BYTES : 0;
  for (int i = 0; i < used; ++i)
    if (allocations[i].at != NULL && allocations[i].device == device) sum += allocations[i].size;
  return sum;
}

// Whether the range is inside one allocation.
static int OnDevice(CUdeviceptr at, size_t size) {
  for (int i = 0; i < used; ++i) {
    const uint64_t begin = (uint64_t)(uintptr_t)allocations[i].at;
    if (begin != 0 && at >= begin && size <= allocations[i].size && at - begin <= allocations[i].size - size)
      return 1;
  }
  return 0;
}

// One word of CUDA_VISIBLE_DEVICES: the machine's index, or -1.
static int Named(const char* word) {
  char* end;
  if (strncmp(word, "GPU-", 4) == 0) {
    for (int i = 0; i < fake_devices(); ++i) {
      char uuid[41];
      fake_uuid_text(i, uuid);
      if (strncmp(uuid, word, strlen(word)) == 0) return i;
    }
    return -1;
  }
  const long index = strtol(word, &end, 10);
  return end == word || index < 0 || index >= fake_devices() ? -1 : (int)index;
}

// Ignores everything after the first word that is not a device; if a device is listed twice, there are none.
static void Look(void) {
  const char* list = getenv("CUDA_VISIBLE_DEVICES");
  visible_count = 0;
  if (list == NULL) {
    for (int i = 0; i < fake_devices(); ++i) visible[visible_count++] = i;
    return;
  }
  for (;;) {
    char word[64] = "";
    const size_t length = strcspn(list, ",");
    snprintf(word, sizeof word, "%.*s", (int)length, list);
    const int device = Named(word);
    if (device < 0 || visible_count == FAKE_MOST_DEVICES) return;
    for (int i = 0; i < visible_count; ++i) {
      if (visible[i] == device) {
        visible_count = 0;
        return;
      }
    }
    visible[visible_count++] = device;
    list += length;
    if (*list != ',') return;
    ++list;
  }
}

EXPORT int cuInit(unsigned flags) {
  MISBEHAVE();
  if (flags != 0) return kInvalidValue;
  Look();
  if (visible_count == 0) return kNoDevice;
  started = 1;
  return 0;
}

EXPORT int cuDriverGetVersion(int* version) {
  MISBEHAVE();
  *version = fake_driver();
  return 0;
}

#define DEVICE(ordinal)                                                     \
  do {                                                                      \
    MISBEHAVE();                                                            \
    if (!started) return kNotInitialized;                                   \
    if ((ordinal) < 0 || (ordinal) >= visible_count) return kInvalidDevice; \
  } while (0)

EXPORT int cuDeviceGetCount(int* count) {
  MISBEHAVE();
  if (!started) return kNotInitialized;
  *count = visible_count;
  return 0;
}
EXPORT int cuDeviceGet(int* device, int ordinal) {
  DEVICE(ordinal);
  *device = ordinal;
  return 0;
}
EXPORT int cuDeviceGetName(char* name, int length, int device) {
  DEVICE(device);
  snprintf(name, (size_t)length, "%s", FAKE_DEVICE_NAME);
  return 0;
}
EXPORT int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  DEVICE(device);
  fake_uuid(visible[device], uuid);
  return 0;
}
EXPORT int cuDeviceGetUuid(unsigned char* uuid, int device) {
  DEVICE(device);
  fake_uuid(visible[device], uuid);
  return 0;
}
EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  DEVICE(device);
  *bytes = fake_total();
  return 0;
}
EXPORT int cuDeviceGetPCIBusId(char* text, int length, int device) {
  DEVICE(device);
  snprintf(text, (size_t)length, "0000:%02X:00.0", fake_bus(visible[device]));
  return 0;
}
EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  DEVICE(device);
  const char* ecc = getenv("FAKE_CUDA_ECC");
  switch (attribute) {
    case 1:
      *value = 1024;
      break;  // threads of a block
    case 16:
      *value = 132;
      break;  // multiprocessors
    case 20:
      *value = fake_mode();
      break;  // compute mode
    case 32:
      *value = ecc == NULL || strcmp(ecc, "off") != 0;
      break;  // ECC
    case 33:
      *value = fake_bus(visible[device]);
      break;  // PCI bus
    case 41:
      *value = 1;
      break;  // unified addressing
    case 75:
      *value = fake_capability() / 10;
      break;
    case 76:
      *value = fake_capability() % 10;
      break;
    default:
      *value = 0;
  }
  return 0;
}
EXPORT int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  DEVICE(device);
  DEVICE(peer);
  *can = device != peer;
  return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(CUcontext* context, int device) {
  DEVICE(device);
  struct fake_holder holder;
  const int real = visible[device];
  if (fake_mode() == 2 || (fake_mode() == 3 && fake_find_holder(real, &holder))) return kUnavailable;
  if (primary[real].retained == 0 && fake_free(real) < FAKE_CONTEXT_BYTES) return kOutOfMemory;
  primary[real].device = real;
  ++primary[real].retained;
  *context = &primary[real];
  return 0;
}
static int Release(int device) {
  const int real = visible[device];
  if (primary[real].retained == 0) return kInvalidContext;
  --primary[real].retained;
  return 0;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  DEVICE(device);
  return Release(device);
}
EXPORT int cuDevicePrimaryCtxRelease(int device) {
  DEVICE(device);
  return Release(device);
}
EXPORT int cuDevicePrimaryCtxReset_v2(int device) {
  DEVICE(device);
  primary[visible[device]].retained = 0;
  return 0;
}
EXPORT int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  DEVICE(device);
  (void)flags;
  return 0;
}
EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  DEVICE(device);
  *flags = 0;
  *active = primary[visible[device]].retained > 0;
  return 0;
}
EXPORT int cuCtxSetCurrent(CUcontext context) {
  MISBEHAVE();
  if (!started) return kNotInitialized;
  current = context;
  return 0;
}
EXPORT int cuCtxGetCurrent(CUcontext* context) {
  MISBEHAVE();
  if (!started) return kNotInitialized;
  *context = current;
  return 0;
}
EXPORT int cuCtxCreate_v2(CUcontext* context, unsigned flags, int device) {
  DEVICE(device);
  (void)flags;
  const int status = cuDevicePrimaryCtxRetain(context, device);
  if (status == 0) current = *context;
  return status;
}
EXPORT int cuCtxDestroy_v2(CUcontext context) {
  MISBEHAVE();
  if (context == NULL || context->retained == 0) return kInvalidContext;
  --context->retained;
  if (current == context) current = NULL;
  return 0;
}
EXPORT int cuCtxPushCurrent_v2(CUcontext context) {
  MISBEHAVE();
  current = context;
  return 0;
}
EXPORT int cuCtxPopCurrent_v2(CUcontext* context) {
  MISBEHAVE();
  if (context != NULL) *context = current;
  current = NULL;
  return 0;
}

#define CONTEXT()                                                          \
  do {                                                                     \
    MISBEHAVE();                                                           \
    if (!started) return kNotInitialized;                                  \
    if (current == NULL || current->retained == 0) return kInvalidContext; \
  } while (0)

EXPORT int cuCtxGetDevice(int* device) {
  CONTEXT();
  for (int i = 0; i < visible_count; ++i)
    if (visible[i] == current->device) *device = i;
  return 0;
}
EXPORT int cuCtxSynchronize(void) {
  CONTEXT();
  return 0;
}
EXPORT int cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  CONTEXT();
  (void)flags;
  return peer == NULL || peer == current ? kInvalidContext : 0;
}
EXPORT int cuCtxDisablePeerAccess(CUcontext peer) {
  CONTEXT();
  return peer == NULL ? kInvalidContext : 0;
}

EXPORT int cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  CONTEXT();
  const uint64_t taken = Taken(current->device), all = fake_free(current->device);
  *free_bytes = all > taken ? all - taken : 0;
  *total = fake_total();
  return 0;
}
// A program that takes most of the device gets address space, but no memory before it writes there.
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
  if (size <= fake_free(current->device) && Taken(current->device) <= fake_free(current->device) - size) {
    for (int i = 0; i < 256 && status != 0; ++i) {
      if (allocations[i].at != NULL) continue;
      allocations[i].at = Give(size);
      if (allocations[i].at == NULL) break;
      if (i >= used) used = i + 1;
      allocations[i].size = size;
      allocations[i].device = current->device;
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

// wrong = 1: the last byte arrives with one bit flipped.
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

static const struct {
  int status;
  const char *name, *text;
} errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "forward compatibility was attempted on non supported HW"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};
static const char* ErrorWord(int status, int text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (errors[i].status == status) return text ? errors[i].text : errors[i].name;
  return NULL;
}
EXPORT int cuGetErrorName(int status, const char** name) {
  *name = ErrorWord(status, 0);
  return *name == NULL ? kInvalidValue : 0;
}
EXPORT int cuGetErrorString(int status, const char** text) {
  *text = ErrorWord(status, 1);
  return *text == NULL ? kInvalidValue : 0;
}

// Tries the newest version of a function first, as the real driver does for its newest CUDA version.
EXPORT int cuGetProcAddress_v2(const char* symbol, void** function, int version, uint64_t flags, int* found) {
  MISBEHAVE();
  (void)version;
  (void)flags;
  char name[128];
  snprintf(name, sizeof name, "%s_v2", symbol);
  *function = fake_symbol("libcuda.so.1", "nvcuda.dll", name);
  if (*function == NULL) *function = fake_symbol("libcuda.so.1", "nvcuda.dll", symbol);
  if (found != NULL) *found = *function == NULL;
  return *function == NULL ? kNotFound : 0;
}
