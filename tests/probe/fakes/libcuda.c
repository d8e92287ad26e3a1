// A driver without a device: its devices, contexts and errors. The rest is in libcuda_memory.c.
// The prototypes are those of cuda.h in CUDA 13; CUDA_VISIBLE_DEVICES works as with the real driver.
#include "libcuda.h"

int fake_started;
struct fake_context fake_primary[FAKE_MOST_DEVICES];
__thread CUcontext fake_current;
static int visible[FAKE_MOST_DEVICES];  // CUDA's index -> the machine's
static int visible_count;

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

// Words after the first one that names no device do not count; if a device is named twice, none counts.
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
  fake_started = 1;
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
    if (!fake_started) return kNotInitialized;                              \
    if ((ordinal) < 0 || (ordinal) >= visible_count) return kInvalidDevice; \
  } while (0)

EXPORT int cuDeviceGetCount(int* count) {
  MISBEHAVE();
  if (!fake_started) return kNotInitialized;
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
  if (fake_primary[real].retained == 0 && fake_free(real) < FAKE_CONTEXT_BYTES) return kOutOfMemory;
  fake_primary[real].device = real;
  ++fake_primary[real].retained;
  *context = &fake_primary[real];
  return 0;
}
static int Release(int device) {
  const int real = visible[device];
  if (fake_primary[real].retained == 0) return kInvalidContext;
  --fake_primary[real].retained;
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
  fake_primary[visible[device]].retained = 0;
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
  *active = fake_primary[visible[device]].retained > 0;
  return 0;
}
EXPORT int cuCtxSetCurrent(CUcontext context) {
  MISBEHAVE();
  if (!fake_started) return kNotInitialized;
  fake_current = context;
  return 0;
}
EXPORT int cuCtxGetCurrent(CUcontext* context) {
  MISBEHAVE();
  if (!fake_started) return kNotInitialized;
  *context = fake_current;
  return 0;
}
EXPORT int cuCtxCreate_v2(CUcontext* context, unsigned flags, int device) {
  DEVICE(device);
  (void)flags;
  const int status = cuDevicePrimaryCtxRetain(context, device);
  if (status == 0) fake_current = *context;
  return status;
}
EXPORT int cuCtxDestroy_v2(CUcontext context) {
  MISBEHAVE();
  if (context == NULL || context->retained == 0) return kInvalidContext;
  --context->retained;
  if (fake_current == context) fake_current = NULL;
  return 0;
}
EXPORT int cuCtxPushCurrent_v2(CUcontext context) {
  MISBEHAVE();
  fake_current = context;
  return 0;
}
EXPORT int cuCtxPopCurrent_v2(CUcontext* context) {
  MISBEHAVE();
  if (context != NULL) *context = fake_current;
  fake_current = NULL;
  return 0;
}

EXPORT int cuCtxGetDevice(int* device) {
  CONTEXT();
  for (int i = 0; i < visible_count; ++i)
    if (visible[i] == fake_current->device) *device = i;
  return 0;
}
EXPORT int cuCtxSynchronize(void) {
  CONTEXT();
  return 0;
}
EXPORT int cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  CONTEXT();
  (void)flags;
  return peer == NULL || peer == fake_current ? kInvalidContext : 0;
}
EXPORT int cuCtxDisablePeerAccess(CUcontext peer) {
  CONTEXT();
  return peer == NULL ? kInvalidContext : 0;
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
