/* libculprit, the C interface: which GPU to use, why none can be used, and why a CUDA or cuDNN call failed.
 *
 * The library does not link CUDA. It loads the driver only when you ask about it, so a program that links it
 * starts on a machine without a driver. No function prints or throws.
 *
 * Lifetimes: the caller owns what a function returns, with all its strings and lists, until it calls the
 * matching `_free`. Strings are never NULL; "" means "unknown" or "none". `_free(NULL)` does nothing.
 * Threads: you can call every function from any thread at any time.
 * Compatibility: each struct starts with its size, as known to the side that filled it. Fields are only added
 * at the end, so programs compiled earlier keep working. Initialize what you pass with the _INIT macro. */
#ifndef CULPRIT_CULPRIT_C_H_
#define CULPRIT_CULPRIT_C_H_

#include <stddef.h>
#include <stdint.h>

#define CULPRIT_VERSION_MAJOR 0
#define CULPRIT_VERSION_MINOR 9

#if defined(_WIN32)
#define CULPRIT_EXPORT
#else
#define CULPRIT_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#define CULPRIT_NOEXCEPT noexcept
#else
#define CULPRIT_NOEXCEPT
#endif

/* How to choose a device among those that meet the requirements. */
typedef enum culprit_policy {
  CULPRIT_MOST_FREE_MEMORY = 0,
  CULPRIT_HIGHEST_CAPABILITY = 1, /* among equals, the one with the most free memory */
  CULPRIT_BY_INDEX = 2,           /* `index` */
  CULPRIT_BY_UUID = 3             /* `uuid`, complete or a unique prefix: "GPU-5a3e" */
} culprit_policy;

typedef struct culprit_wants {
  size_t size;
  int policy; /* a culprit_policy */
  int index;
  const char* uuid;         /* here and below: NULL or "" means no requirement */
  uint64_t min_free_memory; /* bytes */
  int min_capability_major; /* 8, 0: sm_80 or newer */
  int min_capability_minor;
  const char* min_driver; /* "535.104.05" */
  const char* cudnn;      /* "9": any 9.x; "9.1": 9.1 or a newer 9.x */
  int prove;              /* not 0: run a small kernel on the chosen device and check its result */
  const char* fallback;   /* what the program does without a GPU; NULL: "cpu" */
  unsigned time_limit_ms; /* limit for finding the reason; 0: 5000 */
} culprit_wants;
#define CULPRIT_WANTS_INIT {sizeof(culprit_wants), 0, 0, NULL, 0, 0, 0, NULL, NULL, 0, NULL, 0}

typedef struct culprit_device {
  size_t size;
  int index;          /* CUDA's index in this process, for cudaSetDevice and cuDeviceGet */
  const char* name;   /* "NVIDIA H200" */
  const char* uuid;   /* "GPU-5a3e1c0f-..." */
  const char* bus_id; /* "0000:19:00.0" */
  int capability_major;
  int capability_minor;
  uint64_t memory_total;
  uint64_t memory_free; /* valid only if memory_known */
  int memory_known;
} culprit_device;

/* Why something does not work on this machine. */
typedef struct culprit_reason {
  size_t size;
  const char* cause;   /* slug: "gpu-not-visible" */
  const char* code;    /* of culprit's catalog: "CUL2001", for `culprit explain CUL2001`; "" if none */
  const char* summary; /* one line */
  int proven;          /* observed on this machine; 0: what this status usually means */
  const char* fix;
  const char* const* commands;
  size_t command_count;
} culprit_reason;

typedef struct culprit_readiness {
  size_t size;
  int usable;
  const culprit_device* device; /* the one to use; NULL if not usable */
  const culprit_reason* reason; /* NULL if usable */
  const char* fallback;         /* "cpu" if not usable, otherwise "" */
  const char* line;             /* for the log */
  const char* driver_version;   /* "580.95.05" */
  int cuda_version;             /* newest CUDA that the driver supports: 13000; 0 if unknown */
  const char* cudnn_version;    /* that this process would load; only if requested */
  const char* cudnn_path;
} culprit_readiness;

/* Says whether this process can use a GPU that meets its requirements. `wants` may be NULL. Initializes CUDA
 * in this process (cuInit; a context only for `prove`, or if free memory is needed and NVML is missing). NULL
 * only if out of memory. */
CULPRIT_EXPORT const culprit_readiness* culprit_preflight(const culprit_wants* wants) CULPRIT_NOEXCEPT;
CULPRIT_EXPORT void culprit_readiness_free(const culprit_readiness* readiness) CULPRIT_NOEXCEPT;

typedef struct culprit_device_list {
  size_t size;
  const culprit_device* const* devices;
  size_t count;
} culprit_device_list;

/* The devices that CUDA shows to this process; none if CUDA cannot be used (culprit_preflight says why).
 * NULL only if out of memory. */
CULPRIT_EXPORT const culprit_device_list* culprit_devices(void) CULPRIT_NOEXCEPT;
CULPRIT_EXPORT void culprit_device_list_free(const culprit_device_list* list) CULPRIT_NOEXCEPT;

/* Which library a status comes from. */
typedef enum culprit_interface {
  CULPRIT_INTERFACE_CUDA = 0, /* cudaError_t or CUresult, told apart by the name of the called function */
  CULPRIT_INTERFACE_CUDNN = 1,
  CULPRIT_INTERFACE_CUBLAS = 2,
  CULPRIT_INTERFACE_NVRTC = 3
} culprit_interface;

typedef struct culprit_error {
  size_t size;
  const char* message; /* everything in one line */
  const char* call;    /* "cudaMalloc(&p, n)" */
  const char* file;
  int line;
  int kind;                     /* a culprit_interface */
  int status;                   /* 2 */
  const char* status_name;      /* "cudaErrorMemoryAllocation" */
  const char* meaning;          /* what the status means in general */
  const culprit_reason* reason; /* NULL if unknown, or if explaining is turned off */
} culprit_error;

/* NULL for status 0, which is success everywhere; this costs one comparison. Otherwise the error with its
 * cause on this machine. The cause is searched for once per status. */
CULPRIT_EXPORT const culprit_error* culprit_check(int kind, int status, const char* call, const char* file,
                                                  int line) CULPRIT_NOEXCEPT;
CULPRIT_EXPORT void culprit_error_free(const culprit_error* error) CULPRIT_NOEXCEPT;

/* Turns the search for causes on or off. Default: on. Off: an error has its name and meaning, but no reason.
 */
CULPRIT_EXPORT void culprit_set_explain(int on) CULPRIT_NOEXCEPT;

CULPRIT_EXPORT const char* culprit_version(void) CULPRIT_NOEXCEPT; /* "0.5.0"; never freed */

/* const culprit_error* e = CULPRIT_CHECK_CUDA(cudaMalloc(&p, n)); if (e != NULL) ... */
#define CULPRIT_CHECK_(kind, call) culprit_check((kind), (int)(call), #call, __FILE__, __LINE__)
#define CULPRIT_CHECK_CUDA(call) CULPRIT_CHECK_(CULPRIT_INTERFACE_CUDA, call)
#define CULPRIT_CHECK_CUDNN(call) CULPRIT_CHECK_(CULPRIT_INTERFACE_CUDNN, call)
#define CULPRIT_CHECK_CUBLAS(call) CULPRIT_CHECK_(CULPRIT_INTERFACE_CUBLAS, call)
#define CULPRIT_CHECK_NVRTC(call) CULPRIT_CHECK_(CULPRIT_INTERFACE_NVRTC, call)

#ifdef __cplusplus
}
#endif

#endif /* CULPRIT_CULPRIT_C_H_ */
