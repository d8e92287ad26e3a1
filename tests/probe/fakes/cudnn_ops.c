// The cuDNN sub-library with the descriptors of tensors and filters (libcudnn_ops, libcudnn_ops_infer).
#include "cudnn.h"

#if FAKE_MAJOR >= 8
EXPORT const uint32_t cudnn_ops_infer_version = FAKE_VERSION_WORD;
#endif
#if FAKE_MAJOR >= 9
extern const uint32_t cudnn_graph_version;
EXPORT int cudnnOpsVersionCheck(void) {
  MISBEHAVE();
  return cudnn_graph_version == FAKE_VERSION_WORD ? 0 : kVersionMismatch;
}
#elif FAKE_MAJOR == 8
EXPORT int cudnnOpsInferVersionCheck(void) {
  MISBEHAVE();
  return 0;
}
#endif

static int Create(struct fake_tensor** made) {
  *made = calloc(1, sizeof **made);
  return 0;
}
static int Set(struct fake_tensor* tensor, int format, int type, int n, int c, int h, int w) {
  if (tensor == NULL || n <= 0 || c <= 0 || h <= 0 || w <= 0) return kBadParam;
  if (format != 0 || type != 0) return kNotSupported;  // NCHW and float alone
  *tensor = (struct fake_tensor){format, type, n, c, h, w};
  return 0;
}
EXPORT int cudnnCreateTensorDescriptor(struct fake_tensor** made) {
  MISBEHAVE();
  return Create(made);
}
EXPORT int cudnnSetTensor4dDescriptor(struct fake_tensor* tensor, int format, int type, int n, int c, int h,
                                      int w) {
  MISBEHAVE();
  return Set(tensor, format, type, n, c, h, w);
}
EXPORT int cudnnDestroyTensorDescriptor(struct fake_tensor* tensor) {
  MISBEHAVE();
  free(tensor);
  return 0;
}
EXPORT int cudnnCreateFilterDescriptor(struct fake_tensor** made) {
  MISBEHAVE();
  return Create(made);
}
EXPORT int cudnnSetFilter4dDescriptor(struct fake_tensor* filter, int type, int format, int k, int c, int h,
                                      int w) {
  MISBEHAVE();
  return Set(filter, format, type, k, c, h, w);
}
EXPORT int cudnnDestroyFilterDescriptor(struct fake_tensor* filter) {
  MISBEHAVE();
  free(filter);
  return 0;
}
