/* Which CUDA calls that did not return success are no failures: what healthy programs get to hear every day,
 * as seen with PyTorch, JAX and CuPy. For the injection library (C) and for the reader of the driver's log
 * (C++). */
#ifndef CULPRIT_WITNESS_CALL_NOISE_H_
#define CULPRIT_WITNESS_CALL_NOISE_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool CulpritHas(const char* function, const char* part) { return strstr(function, part) != 0; }

/* `function` with or without a version behind it ("cuCtxGetDevice_v2"). */
static inline bool CulpritIsFailure(const char* function, int32_t code) {
  switch (code) {
    case 0:
    case 4:   /* the driver is shutting down: destructors at exit */
    case 600: /* not ready */
      return false;
    case 1: /* invalid value: an attribute that this driver does not know, a pointer that is not CUDA's */
      return !CulpritHas(function, "PointerGetAttribute") && !CulpritHas(function, "DeviceGetAttribute") &&
             !CulpritHas(function, "DeviceGetP2PAttribute");
    case 201: /* no context yet, asked by somebody who wanted to know */
      return !CulpritHas(function, "CtxGet");
    case 500: /* not found: a function or variable that may or may not be there */
      return !CulpritHas(function, "GetProcAddress") && !CulpritHas(function, "GetDriverEntryPoint") &&
             !CulpritHas(function, "GetExportTable") && !CulpritHas(function, "GetGlobal");
    case 704: /* peer access is enabled already */
    case 705: /* or is not */
      return !CulpritHas(function, "PeerAccess");
    default: /* these only repeat what an earlier call said */
      return !CulpritHas(function, "GetLastError") && !CulpritHas(function, "PeekAtLastError") &&
             !CulpritHas(function, "GetProcAddress") && !CulpritHas(function, "Profiler");
  }
}

#endif
