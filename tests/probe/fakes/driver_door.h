// How a library on top of the driver reaches it: with dlopen, like the real ones.
#pragma once

#include <dlfcn.h>

#include "misbehave.h"

// A function of libcuda, or NULL.
FAKE_OWN void* fake_driver_function(const char* name) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver == NULL ? NULL : dlsym(driver, name);
}

// Creates a context on device 0 unless the thread has one. 0 or the status of the driver; -1: no driver.
FAKE_OWN int fake_need_context(void) {
  int (*init)(unsigned) = (int (*)(unsigned))fake_driver_function("cuInit");
  int (*get)(void**) = (int (*)(void**))fake_driver_function("cuCtxGetCurrent");
  int (*retain)(void**, int) = (int (*)(void**, int))fake_driver_function("cuDevicePrimaryCtxRetain");
  int (*set)(void*) = (int (*)(void*))fake_driver_function("cuCtxSetCurrent");
  void* context = NULL;
  if (init == NULL || get == NULL || retain == NULL || set == NULL) return -1;
  int status = init(0);
  if (status == 0) status = get(&context);
  if (status != 0 || context != NULL) return status;
  status = retain(&context, 0);
  return status != 0 ? status : set(context);
}
