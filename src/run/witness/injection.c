/* The entry of culprit-injection.so: the driver calls InitializeInjection() in the program's first cuInit(). It
 * takes the CUPTI that the program has loaded, because that is the one the program may want to use too;
 * otherwise one that culprit found (CULPRIT_CUPTI). */
#define _GNU_SOURCE
#include "run/witness/injection.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kPathSize = 4096, kMostCallbacks = 4096 };

struct Loaded {
  char path[kPathSize];
};

static int NoteCupti(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  struct Loaded* loaded = data;
  const char* name = strrchr(object->dlpi_name, '/');
  if (name == NULL || strncmp(name, "/libcupti.so", 12) != 0 || strlen(object->dlpi_name) >= kPathSize)
    return 0;
  strcpy(loaded->path, object->dlpi_name);
  return 1;
}

static void Explain(void* cupti, const char* path, const char* what, int32_t result, char* why, size_t size) {
  const CuptiGetResultString text_of = (CuptiGetResultString)dlsym(cupti, "cuptiGetResultString");
  const char* text = NULL;
  if (text_of != NULL) text_of(result, &text);
  snprintf(why, size, "%s: %s returned %d%s%s", path, what, (int)result, text != NULL ? " " : "",
           text != NULL ? text : "");
}

/* Asked all the time, and hardly ever the first to fail: these stay as quick as they are. A launch is heard once,
 * as the call of the driver that every one of them ends in. */
static const char* const kQuestions[] = {
    "cudaGetLastError", "cudaPeekAtLastError", "cudaGetError", "cudaGetDevice_", "cudaDeviceGetAttribute",
    "cudaPointerGetAttributes", "cudaStreamIsCapturing", "cudaStreamGet", "cudaThreadExchange",
    "cudaFuncGetAttributes", "cudaOccupancy", "cudaGetDriverEntryPoint", "cudaLaunchKernel", "__cuda", "cuGetError",
    "cuGetProcAddress", "cuDeviceGetAttribute", "cuPointerGet", "cuStreamIsCapturing", "cuStreamGet",
    "cuThreadExchange", "cuFuncGetAttribute", "cuOccupancy", "cuCtxGet", "cuCtxPushCurrent",
    "cuCtxPopCurrent", "cuCtxSetCurrent", "cuDevicePrimaryCtxGetState", "cuKernelGet", "cuModuleGetLoadingMode",
};

static void LeaveQuestionsOut(void* cupti, CuptiSubscriber subscriber, int32_t domain) {
  const CuptiGetCallbackName name_of = (CuptiGetCallbackName)dlsym(cupti, "cuptiGetCallbackName");
  const CuptiEnableCallback enable = (CuptiEnableCallback)dlsym(cupti, "cuptiEnableCallback");
  if (name_of == NULL || enable == NULL) return;
  for (uint32_t id = 1; id < kMostCallbacks; ++id) {
    const char* name = NULL;
    if (name_of(domain, id, &name) != 0 || name == NULL) return;
    for (size_t i = 0; i < sizeof kQuestions / sizeof *kQuestions; ++i) {
      if (strncmp(name, kQuestions[i], strlen(kQuestions[i])) == 0) {
        enable(0, subscriber, domain, id);
        break;
      }
    }
  }
}

/* True: nothing else is to be tried. Otherwise `why` says what went wrong. */
static bool Watch(void* cupti, const char* path, char* why, size_t size) {
  const CuptiSubscribe subscribe = (CuptiSubscribe)dlsym(cupti, "cuptiSubscribe");
  const CuptiUnsubscribe unsubscribe = (CuptiUnsubscribe)dlsym(cupti, "cuptiUnsubscribe");
  const CuptiEnableDomain enable = (CuptiEnableDomain)dlsym(cupti, "cuptiEnableDomain");
  if (subscribe == NULL || unsubscribe == NULL || enable == NULL) {
    snprintf(why, size, "%s has no callback functions", path);
    return false;
  }
  CuptiSubscriber subscriber = NULL;
  int32_t result = subscribe(&subscriber, OnCall, NULL);
  if (result == kCuptiMultipleSubscribers) {
    TellWatching("", "CUPTI is in use: by the program itself, or by a profiler or debugger");
    return true;
  }
  if (result != 0) {
    Explain(cupti, path, "cuptiSubscribe", result, why, size);
    return false;
  }
  result = enable(1, subscriber, kCuptiDriverApi);
  if (result == 0) result = enable(1, subscriber, kCuptiRuntimeApi);
  if (result != 0) {
    Explain(cupti, path, "cuptiEnableDomain", result, why, size);
    unsubscribe(subscriber);
    return false;
  }
  LeaveQuestionsOut(cupti, subscriber, kCuptiDriverApi);
  LeaveQuestionsOut(cupti, subscriber, kCuptiRuntimeApi);
  if (!YieldWhenAsked(cupti, subscriber)) {
    unsubscribe(subscriber);
    TellWatching("", "could not patch CUPTI, so the program and culprit could not both use it");
    return true;
  }
  char how[kPathSize + 8];
  snprintf(how, sizeof how, "CUPTI %s", path);
  TellWatching(how, "");
  return true;
}

__attribute__((visibility("default"))) int InitializeInjection(void) {
  static bool done;
  if (__atomic_exchange_n(&done, true, __ATOMIC_RELAXED) || !OpenJournal()) return 1;
  char why[kPathSize + 256] = "no libcupti found";

  static struct Loaded loaded;
  if (dl_iterate_phdr(NoteCupti, &loaded) != 0) {
    void* cupti = dlopen(loaded.path, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    /* One at a time: a second CUPTI beside this one would be in its way. */
    if (cupti != NULL) {
      if (!Watch(cupti, loaded.path, why, sizeof why)) TellWatching("", why);
      return 1;
    }
  }
  const char* next = getenv(CULPRIT_CUPTI_VARIABLE);
  while (next != NULL && *next != 0) {
    const char* end = strchrnul(next, ':');
    char path[kPathSize];
    const size_t length = (size_t)(end - next);
    if (*next == '/' && length < sizeof path) {
      memcpy(path, next, length);
      path[length] = 0;
      void* cupti = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
      if (cupti == NULL) {
        const char* error = dlerror();
        snprintf(why, sizeof why, "%s", error != NULL ? error : path);
      } else if (Watch(cupti, path, why, sizeof why)) {
        return 1;
      }
    }
    next = *end == ':' ? end + 1 : end;
  }
  TellWatching("", why);
  return 1;
}
