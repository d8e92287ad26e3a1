// The cuDNN sub-library for recurrent nets and attention (libcudnn_adv, libcudnn_adv_infer): exists, does nothing.
#include "cudnn.h"

EXPORT const uint32_t cudnn_adv_infer_version = FAKE_VERSION_WORD;
extern const uint32_t cudnn_ops_infer_version;
#if FAKE_MAJOR >= 9
EXPORT int cudnnAdvVersionCheck(void) {
#else
EXPORT int cudnnAdvInferVersionCheck(void) {
#endif
  MISBEHAVE();
  return cudnn_ops_infer_version == FAKE_VERSION_WORD ? 0 : kVersionMismatch;
}
