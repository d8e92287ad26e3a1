// NVML for the made-up machine: it sees every device, whatever CUDA_VISIBLE_DEVICES says. Structures as in
// nvml.h 13; calls that fill a buffer follow its size rules.
#include <stdint.h>

#include "machine.h"

enum { kUninitialized = 1, kInvalidArgument = 2, kNotFound = 6, kInsufficientSize = 7 };

static int started;
static int handles[FAKE_MOST_DEVICES];

EXPORT int nvmlInit_v2(void) {
  MISBEHAVE();
  for (int i = 0; i < FAKE_MOST_DEVICES; ++i) handles[i] = i;
  ++started;
  return 0;
}
EXPORT int nvmlInitWithFlags(unsigned flags) {
  (void)flags;
  MISBEHAVE();
  return nvmlInit_v2();
}
EXPORT int nvmlShutdown(void) {
  MISBEHAVE();
  if (started == 0) return kUninitialized;
  --started;
  return 0;
}

#define STARTED()                            \
  do {                                       \
    MISBEHAVE();                             \
    if (started == 0) return kUninitialized; \
  } while (0)

static int Answer(char* buffer, unsigned length, const char* text) {
  if (strlen(text) >= length) return kInsufficientSize;
  strcpy(buffer, text);
  return 0;
}

EXPORT int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  STARTED();
  const char* told = getenv("FAKE_CUDA_DRIVER_VERSION");
  return Answer(version, length, told != NULL ? told : "580.95.05");
}
EXPORT int nvmlSystemGetNVMLVersion(char* version, unsigned length) {
  STARTED();
  return Answer(version, length, "13.580.95.05");
}
EXPORT int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  STARTED();
  *version = fake_driver();
  return 0;
}
EXPORT int nvmlSystemGetCudaDriverVersion(int* version) {
  STARTED();
  *version = fake_driver();
  return 0;
}
EXPORT int nvmlSystemGetProcessName(unsigned pid, char* name, unsigned length) {
  STARTED();
  struct fake_holder holder;
  if (!fake_find_holder(0, &holder) || holder.pid != pid) return kNotFound;
  return Answer(name, length, holder.name);
}

EXPORT int nvmlDeviceGetCount_v2(unsigned* count) {
  STARTED();
  *count = (unsigned)fake_devices();
  return 0;
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, int** device) {
  STARTED();
  if (index >= (unsigned)fake_devices()) return kInvalidArgument;
  *device = &handles[index];
  return 0;
}
EXPORT int nvmlDeviceGetHandleByUUID(const char* uuid, int** device) {
  STARTED();
  for (int i = 0; i < fake_devices(); ++i) {
    char text[41];
    fake_uuid_text(i, text);
    if (strcmp(text, uuid) != 0) continue;
    *device = &handles[i];
    return 0;
  }
  return kNotFound;
}
EXPORT int nvmlDeviceGetIndex(const int* device, unsigned* index) {
  STARTED();
  *index = (unsigned)*device;
  return 0;
}
EXPORT int nvmlDeviceGetMinorNumber(const int* device, unsigned* minor) {
  STARTED();
  *minor = (unsigned)*device;
  return 0;
}
EXPORT int nvmlDeviceGetName(const int* device, char* name, unsigned length) {
  STARTED();
  (void)device;
  return Answer(name, length, FAKE_DEVICE_NAME);
}
EXPORT int nvmlDeviceGetUUID(const int* device, char* uuid, unsigned length) {
  STARTED();
  char text[41];
  fake_uuid_text(*device, text);
  return Answer(uuid, length, text);
}

struct pci_info {
  char legacy_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
EXPORT int nvmlDeviceGetPciInfo_v3(const int* device, struct pci_info* pci) {
  STARTED();
  memset(pci, 0, sizeof *pci);
  pci->bus = (unsigned)fake_bus(*device);
  pci->device_id = 0x233510de;
  snprintf(pci->legacy_bus_id, sizeof pci->legacy_bus_id, "0000:%02X:00.0", pci->bus & 0xff);
  snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", pci->bus & 0xff);
  return 0;
}

struct memory {
  unsigned long long total, free, used;
};
EXPORT int nvmlDeviceGetMemoryInfo(const int* device, struct memory* memory) {
  STARTED();
  memory->total = fake_total();
  memory->free = fake_free(*device);
  memory->used = memory->total - memory->free;
  return 0;
}
struct memory_v2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
EXPORT int nvmlDeviceGetMemoryInfo_v2(const int* device, struct memory_v2* memory) {
  STARTED();
  if (memory->version != (sizeof *memory | 2u << 24)) return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  memory->total = fake_total();
  memory->reserved = 512ull << 20;
  memory->free = fake_free(*device);
  memory->used = memory->total - memory->free;
  return 0;
}

EXPORT int nvmlDeviceGetComputeMode(const int* device, int* mode) {
  STARTED();
  (void)device;
  *mode = fake_mode();
  return 0;
}
EXPORT int nvmlDeviceGetMigMode(const int* device, unsigned* now, unsigned* pending) {
  STARTED();
  (void)device;
  const char* mig = getenv("FAKE_CUDA_MIG");
  *now = *pending = mig != NULL && strcmp(mig, "on") == 0;
  return 0;
}
EXPORT int nvmlDeviceGetEccMode(const int* device, int* now, int* pending) {
  STARTED();
  (void)device;
  const char* ecc = getenv("FAKE_CUDA_ECC");
  *now = *pending = ecc == NULL || strcmp(ecc, "off") != 0;
  return 0;
}
EXPORT int nvmlDeviceGetTotalEccErrors(const int* device, int kind, int counter, unsigned long long* count) {
  STARTED();
  (void)device;
  (void)counter;
  *count = kind == 1 ? fake_number("FAKE_CUDA_ECC_ERRORS", 0) : 0;  // 1: not corrected
  return 0;
}
EXPORT int nvmlDeviceGetCudaComputeCapability(const int* device, int* major, int* minor) {
  STARTED();
  (void)device;
  *major = fake_capability() / 10;
  *minor = fake_capability() % 10;
  return 0;
}

struct process_v1 {
  unsigned pid;
  unsigned long long bytes;
};
struct process_v3 {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};
// `size` is that of each element; if a list is too short, the required length is returned.
static int Processes(int device, unsigned* count, void* list, size_t size) {
  struct fake_holder holder;
  const unsigned there = (unsigned)fake_find_holder(device, &holder), room = *count;
  *count = there;
  if (room < there) return kInsufficientSize;
  if (there == 0) return 0;
  const struct process_v3 process = {holder.pid, holder.bytes, 0xffffffffu, 0xffffffffu};
  memcpy(list, &process, size);
  return 0;
}
EXPORT int nvmlDeviceGetComputeRunningProcesses(const int* device, unsigned* count, void* list) {
  STARTED();
  return Processes(*device, count, list, sizeof(struct process_v1));
}
EXPORT int nvmlDeviceGetComputeRunningProcesses_v2(const int* device, unsigned* count, void* list) {
  STARTED();
  return Processes(*device, count, list, sizeof(struct process_v3));
}
EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(const int* device, unsigned* count, void* list) {
  STARTED();
  return Processes(*device, count, list, sizeof(struct process_v3));
}
EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v3(const int* device, unsigned* count, void* list) {
  STARTED();
  (void)device;
  (void)list;
  *count = 0;
  return 0;
}

EXPORT const char* nvmlErrorString(int status) {
  switch (status) {
    case 0:
      return "Success";
    case 1:
      return "Uninitialized";
    case 3:
      return "Not Supported";
    case 4:
      return "Insufficient Permissions";
    case 9:
      return "Driver Not Loaded";
    case 12:
      return "NVML Shared Library Not Found";
    case 18:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}
