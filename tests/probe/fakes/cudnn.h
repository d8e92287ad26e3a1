// Shared by all parts of the fake cuDNN. Built several times: FAKE_CUDNN is its version as in 91900 (8 and 9)
// or 7605 (before 9, the thousands are the major version).
#pragma once

#include <stdint.h>

#include "misbehave.h"

#if FAKE_CUDNN >= 90000
#define FAKE_MAJOR (FAKE_CUDNN / 10000)
#define FAKE_MINOR (FAKE_CUDNN / 100 % 100)
#else
#define FAKE_MAJOR (FAKE_CUDNN / 1000)
#define FAKE_MINOR (FAKE_CUDNN / 100 % 10)
#endif
#define FAKE_PATCH (FAKE_CUDNN % 100)
#define FAKE_VERSION_WORD ((uint32_t)(FAKE_MAJOR << 16 | FAKE_MINOR << 8 | FAKE_PATCH))

// Statuses that changed their numbers with 9.
enum {
  kBadParam = FAKE_MAJOR >= 9 ? 2000 : 3,
  kNotInitialized = FAKE_MAJOR >= 9 ? 1001 : 1,
  kVersionMismatch = FAKE_MAJOR >= 9 ? 1002 : 14,
  kNotSupported = FAKE_MAJOR >= 9 ? 3000 : 9,
  kUnavailable = 3009  // in 9: a sub-library cannot be loaded
};

struct fake_tensor {  // also a filter: k, c, h, w
  int format, type, n, c, h, w;
};
struct fake_convolution {
  int pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, mode, type, groups;
};
struct fake_performance {
  int algorithm, status;
  float time;
  size_t memory;
  int determinism, math, reserved[3];
};
