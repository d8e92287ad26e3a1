/* The few things of CUPTI's callback interface that the injection library uses, as its documentation
 * describes them (docs.nvidia.com/cupti, "CUPTI Callback API"; the same since CUDA 8): prototypes of our own,
 * because CUPTI is opened by name and culprit is built without CUDA. */
#ifndef CULPRIT_WITNESS_CUPTI_H_
#define CULPRIT_WITNESS_CUPTI_H_

#include <stddef.h>
#include <stdint.h>

enum {
  kCuptiEnter = 0,
  kCuptiExit = 1,
  kCuptiDriverApi = 1,
  kCuptiRuntimeApi = 2,
  kCuptiMultipleSubscribers = 39,
};

struct CuptiCallbackData {
  int32_t site; /* kCuptiEnter, kCuptiExit */
  const char* function;
  const void* parameters;
  const int32_t* result; /* at exit: CUresult or cudaError_t */
  const char* symbol;    /* of a launch: the kernel, mangled */
  void* context;
  uint32_t context_id;
  uint64_t* correlation_data;
  uint32_t correlation; /* the same at enter and exit */
};

typedef void* CuptiSubscriber;
typedef void (*CuptiCallback)(void* user, int32_t domain, uint32_t id, const struct CuptiCallbackData* data);

typedef int32_t (*CuptiSubscribe)(CuptiSubscriber* subscriber, CuptiCallback callback, void* user);
typedef int32_t (*CuptiSubscribe2)(CuptiSubscriber* subscriber, CuptiCallback callback, void* user,
                                   void* parameters);
typedef int32_t (*CuptiUnsubscribe)(CuptiSubscriber subscriber);
typedef int32_t (*CuptiEnableDomain)(uint32_t enable, CuptiSubscriber subscriber, int32_t domain);
typedef int32_t (*CuptiEnableCallback)(uint32_t enable, CuptiSubscriber subscriber, int32_t domain,
                                       uint32_t id);
typedef int32_t (*CuptiGetCallbackName)(int32_t domain, uint32_t id, const char** name);
typedef int32_t (*CuptiGetResultString)(int32_t result, const char** text);

#endif
