// The cuDNN 9 sub-library with handle and version (libcudnn_graph); in 8 these are in libcudnn_ops_infer.
#include "cudnn.h"
#include "driver_door.h"

#if FAKE_MAJOR >= 9
EXPORT const uint32_t cudnn_graph_version = FAKE_VERSION_WORD;
EXPORT int cudnnGraphVersionCheck(void) {
  MISBEHAVE();
  return 0;
}
#endif

static int handle_mark;
static char last_words[256];

EXPORT size_t cudnnGetVersion(void) {
  const int status = fake_misbehave(__func__);
  return status != 0 ? (size_t)status : FAKE_CUDNN;
}
EXPORT size_t cudnnGetCudartVersion(void) { return FAKE_MAJOR >= 9 ? 13000 : 11080; }
EXPORT int cudnnGetProperty(int type, int* value) {
  MISBEHAVE();
  *value = type == 0 ? FAKE_MAJOR : type == 1 ? FAKE_MINOR : FAKE_PATCH;
  return 0;
}
EXPORT int cudnnCreate(void** handle) {
  MISBEHAVE();
  const int status = fake_need_context();
  if (status != 0) {
    snprintf(last_words, sizeof last_words, "fake: the driver says %d", status);
    return kNotInitialized;
  }
  *handle = &handle_mark;
  return 0;
}
EXPORT int cudnnDestroy(void* handle) {
  MISBEHAVE();
  return handle == &handle_mark ? 0 : kBadParam;
}
EXPORT int cudnnSetStream(void* handle, void* stream) {
  MISBEHAVE();
  (void)stream;
  return handle == &handle_mark ? 0 : kBadParam;
}
#if FAKE_MAJOR >= 9
EXPORT void cudnnGetLastErrorString(char* message, size_t size) { snprintf(message, size, "%s", last_words); }
#endif
EXPORT const char* cudnnGetErrorString(int status) {
  switch (status) {
    case 0:
      return "CUDNN_STATUS_SUCCESS";
#if FAKE_MAJOR >= 9
    case 1001:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case 1002:
      return "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH";
    case 1008:
      return "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED";
    case 2000:
      return "CUDNN_STATUS_BAD_PARAM";
    case 3000:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case 3009:
      return "CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE";
    case 4000:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    case 5000:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    case 5003:
      return "CUDNN_STATUS_EXECUTION_FAILED_CUDART";
#else
    case 1:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case 2:
      return "CUDNN_STATUS_ALLOC_FAILED";
    case 3:
      return "CUDNN_STATUS_BAD_PARAM";
    case 4:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    case 8:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    case 9:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case 14:
      return "CUDNN_STATUS_VERSION_MISMATCH";
#endif
    default:
      return "CUDNN_UNKNOWN_STATUS";
  }
}
