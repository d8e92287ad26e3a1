/* Linked to libcupti like PyTorch's profiler: its pointer to cuptiSubscribe exists before the driver starts. */
#include "run/witness/cupti.h"

int32_t cuptiSubscribe(CuptiSubscriber* subscriber, CuptiCallback callback, void* user);

static void See(void* user, int32_t domain, uint32_t id, const struct CuptiCallbackData* data) {
  (void)user, (void)domain, (void)id, (void)data;
}

int ProfileLinked(void) {
  CuptiSubscriber subscriber;
  return cuptiSubscribe(&subscriber, See, NULL);
}
