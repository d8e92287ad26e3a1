/* A fake CUPTI for tests: has one subscriber, and simulates CUDA calls when a program tells it to. */
#include <stdint.h>
#include <string.h>

#include "run/witness/cupti.h"

static const char* const kNames[2][6] = {
    {"", "cuInit", "cuLaunchKernel", "cuCtxSynchronize", "cuCtxGetDevice", "cuMemAlloc"},
    {"", "cudaMalloc_v3020", "cudaLaunchKernel_v7000", "cudaDeviceSynchronize_v3020", "cudaGetLastError_v3020",
     "cudaStreamQuery_v3020"},
};
static CuptiCallback callback;
static void* user;
static uint8_t enabled[2][6];

int32_t cuptiSubscribe(CuptiSubscriber* subscriber, CuptiCallback function, void* data) {
  if (callback != NULL) return kCuptiMultipleSubscribers;
  callback = function;
  user = data;
  *subscriber = &callback;
  return 0;
}

int32_t cuptiUnsubscribe(CuptiSubscriber subscriber) {
  if (subscriber != &callback) return 1;
  callback = NULL;
  memset(enabled, 0, sizeof enabled);
  return 0;
}

int32_t cuptiEnableDomain(uint32_t enable, CuptiSubscriber subscriber, int32_t domain) {
  if (subscriber != &callback || domain < 1 || domain > 2) return 1;
  memset(enabled[domain - 1], enable != 0, sizeof enabled[0]);
  return 0;
}

int32_t cuptiEnableCallback(uint32_t enable, CuptiSubscriber subscriber, int32_t domain, uint32_t id) {
  if (subscriber != &callback || domain < 1 || domain > 2 || id < 1 || id > 5) return 1;
  enabled[domain - 1][id] = enable != 0;
  return 0;
}

int32_t cuptiGetCallbackName(int32_t domain, uint32_t id, const char** name) {
  if (domain < 1 || domain > 2 || id < 1 || id > 5) return 1;
  *name = kNames[domain - 1][id];
  return 0;
}

int32_t cuptiGetResultString(int32_t result, const char** text) {
  *text = result == 0 ? "CUPTI_SUCCESS" : "CUPTI_ERROR_UNKNOWN";
  return 0;
}

/* Enters a call and, if `ends`, leaves it with `code`; returns how often the subscriber was called. A call
 * without a number here is number 5 of its interface. */
int FakeCall(int32_t domain, const char* function, int32_t code, const char* kernel, int ends) {
  static uint32_t calls;
  uint32_t id = 1;
  while (id < 5 && strncmp(kNames[domain - 1][id], function, strlen(function)) != 0) ++id;
  struct CuptiCallbackData data = {kCuptiEnter, function, NULL, NULL, kernel, NULL, 0, NULL, ++calls};
  if (callback == NULL || !enabled[domain - 1][id]) return 0;
  callback(user, domain, id, &data);
  if (!ends) return 1;
  data.site = kCuptiExit;
  data.result = &code;
  callback(user, domain, id, &data);
  return 2;
}
