// The cuDNN 8 sub-libraries for training: FAKE_PART is Ops, Cnn or Adv. Each can check whether all sub-libraries
// have one version.
#include "cudnn.h"

extern const uint32_t cudnn_ops_infer_version;
#define PASTE3(a, b, c) a##b##c
#define CHECK(part) PASTE3(cudnn, part, TrainVersionCheck)
EXPORT int CHECK(FAKE_PART)(void) {
  MISBEHAVE();
  return cudnn_ops_infer_version == FAKE_VERSION_WORD ? 0 : kVersionMismatch;
}
