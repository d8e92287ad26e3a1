// What the two parts of the fake driver share.
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "machine.h"

typedef uint64_t CUdeviceptr;
typedef struct fake_context {
  int device;
  int retained;
}* CUcontext;

enum {
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kUnavailable = 46,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kInvalidPtx = 218,
  kNotFound = 500,
  kIllegalAddress = 700,
  kPeerAlready = 704
};

extern int fake_started;  // cuInit has succeeded
extern struct fake_context fake_primary[FAKE_MOST_DEVICES];
extern __thread CUcontext fake_current;

#define CONTEXT()                                                                    \
  do {                                                                               \
    MISBEHAVE();                                                                     \
    if (!fake_started) return kNotInitialized;                                       \
    if (fake_current == NULL || fake_current->retained == 0) return kInvalidContext; \
  } while (0)
