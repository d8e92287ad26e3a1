// The cuDNN sub-library for convolutions (libcudnn_cnn, libcudnn_cnn_infer), on the CPU.
#include "cudnn.h"

#if FAKE_MAJOR == 8
EXPORT const uint32_t cudnn_cnn_infer_version = FAKE_VERSION_WORD;
#endif
#if FAKE_MAJOR >= 8
extern const uint32_t cudnn_ops_infer_version;
static int Check(void) { return cudnn_ops_infer_version == FAKE_VERSION_WORD ? 0 : kVersionMismatch; }
#else
static int Check(void) { return 0; }
#endif
#if FAKE_MAJOR >= 9
EXPORT int cudnnCnnVersionCheck(void) {
  MISBEHAVE();
  return Check();
}
#elif FAKE_MAJOR == 8
EXPORT int cudnnCnnInferVersionCheck(void) {
  MISBEHAVE();
  return Check();
}
#endif

EXPORT int cudnnCreateConvolutionDescriptor(struct fake_convolution** made) {
  MISBEHAVE();
  *made = calloc(1, sizeof **made);
  return 0;
}
EXPORT int cudnnDestroyConvolutionDescriptor(struct fake_convolution* convolution) {
  MISBEHAVE();
  free(convolution);
  return 0;
}
EXPORT int cudnnSetConvolution2dDescriptor(struct fake_convolution* convolution, int pad_h, int pad_w,
                                           int stride_h, int stride_w, int dilation_h, int dilation_w,
                                           int mode, int type) {
  MISBEHAVE();
  if (stride_h <= 0 || stride_w <= 0 || dilation_h <= 0 || dilation_w <= 0 || pad_h < 0 || pad_w < 0)
    return kBadParam;
  *convolution =
      (struct fake_convolution){pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, mode, type, 1};
  return 0;
}
EXPORT int cudnnSetConvolutionMathType(struct fake_convolution* convolution, int math) {
  MISBEHAVE();
  (void)convolution;
  (void)math;
  return 0;
}
EXPORT int cudnnSetConvolutionGroupCount(struct fake_convolution* convolution, int groups) {
  MISBEHAVE();
  convolution->groups = groups;
  return groups == 1 ? 0 : kNotSupported;
}

static int OutputSize(int size, int pad, int filter, int stride, int dilation) {
  return (size + 2 * pad - ((filter - 1) * dilation + 1)) / stride + 1;
}
static int Fits(const struct fake_convolution* v, const struct fake_tensor* x, const struct fake_tensor* w,
                const struct fake_tensor* y) {
  return x->c == w->c && y->n == x->n && y->c == w->n &&
         y->h == OutputSize(x->h, v->pad_h, w->h, v->stride_h, v->dilation_h) &&
         y->w == OutputSize(x->w, v->pad_w, w->w, v->stride_w, v->dilation_w);
}
EXPORT int cudnnGetConvolution2dForwardOutputDim(const struct fake_convolution* v,
                                                 const struct fake_tensor* x, const struct fake_tensor* w,
                                                 int* n, int* c, int* h, int* width) {
  MISBEHAVE();
  *n = x->n;
  *c = w->n;
  *h = OutputSize(x->h, v->pad_h, w->h, v->stride_h, v->dilation_h);
  *width = OutputSize(x->w, v->pad_w, w->w, v->stride_w, v->dilation_w);
  return 0;
}

// Calls `meet` for each pair of an input and an output connected by a weight, with their positions.
typedef void (*meeting)(void* what, size_t x, size_t w, size_t y);
static void Walk(const struct fake_convolution* v, const struct fake_tensor* x, const struct fake_tensor* w,
                 const struct fake_tensor* y, meeting meet, void* what) {
  for (int n = 0; n < y->n; ++n)
    for (int k = 0; k < y->c; ++k)
      for (int p = 0; p < y->h; ++p)
        for (int q = 0; q < y->w; ++q)
          for (int c = 0; c < w->c; ++c)
            for (int r = 0; r < w->h; ++r)
              for (int s = 0; s < w->w; ++s) {
                const int h = p * v->stride_h - v->pad_h + r * v->dilation_h;
                const int b = q * v->stride_w - v->pad_w + s * v->dilation_w;
                if (h < 0 || h >= x->h || b < 0 || b >= x->w) continue;
                // mode 0 turns the filter round (a convolution), 1 does not (a cross-correlation)
                const int fr = v->mode == 0 ? w->h - 1 - r : r, fs = v->mode == 0 ? w->w - 1 - s : s;
                meet(what,
                     (((size_t)n * (size_t)x->c + (size_t)c) * (size_t)x->h + (size_t)h) * (size_t)x->w +
                         (size_t)b,
                     (((size_t)k * (size_t)w->c + (size_t)c) * (size_t)w->h + (size_t)fr) * (size_t)w->w +
                         (size_t)fs,
                     (((size_t)n * (size_t)y->c + (size_t)k) * (size_t)y->h + (size_t)p) * (size_t)y->w +
                         (size_t)q);
              }
}
struct work {
  const float *x, *w, *y;
  double* sum;
};
static void Forward(void* what, size_t x, size_t w, size_t y) {
  struct work* work = what;
  work->sum[y] += (double)work->x[x] * work->w[w];
}
static void BackwardData(void* what, size_t x, size_t w, size_t y) {
  struct work* work = what;
  work->sum[x] += (double)work->y[y] * work->w[w];
}
static void BackwardFilter(void* what, size_t x, size_t w, size_t y) {
  struct work* work = what;
  work->sum[w] += (double)work->y[y] * work->x[x];
}
static size_t Count(const struct fake_tensor* t) {
  return (size_t)t->n * (size_t)t->c * (size_t)t->h * (size_t)t->w;
}
static void Store(float* to, const double* sum, size_t count, float alpha, float beta, int wrong) {
  for (size_t i = 0; i < count; ++i) {
    const double old = beta == 0 ? 0 : (double)beta * to[i];
    to[i] = (float)((double)alpha * sum[i] + old);
  }
  if (wrong) to[count - 1] = to[count - 1] * 1.5f + 1.0f;
}

EXPORT int cudnnGetConvolutionForwardWorkspaceSize(void* handle, const struct fake_tensor* x,
                                                   const struct fake_tensor* w,
                                                   const struct fake_convolution* v,
                                                   const struct fake_tensor* y, int algorithm,
                                                   size_t* bytes) {
  MISBEHAVE();
  (void)handle;
  *bytes = algorithm == 1 ? 4096 : 0;
  return Fits(v, x, w, y) ? 0 : kBadParam;
}
EXPORT int cudnnConvolutionForward(void* handle, const float* alpha, const struct fake_tensor* x,
                                   const float* x_data, const struct fake_tensor* w, const float* w_data,
                                   const struct fake_convolution* v, int algorithm, void* workspace,
                                   size_t workspace_size, const float* beta, const struct fake_tensor* y,
                                   float* y_data) {
  MISBEHAVE();
  if (handle == NULL || !Fits(v, x, w, y)) return kBadParam;
  if (algorithm == 1 && (workspace == NULL || workspace_size < 4096)) return kBadParam;
  if (algorithm < 0 || algorithm > 7 || algorithm == 3) return kNotSupported;  // 3 never was
  if (Check() != 0) return Check();
  double* sum = calloc(Count(y), sizeof *sum);
  struct work work = {x_data, w_data, NULL, sum};
  Walk(v, x, w, y, Forward, &work);
  Store(y_data, sum, Count(y), *alpha, *beta, WRONG());
  free(sum);
  return 0;
}
static int Algorithms(int wanted, int* given, struct fake_performance* list) {
  *given = 0;
  for (int i = 0; i < wanted && i < 2; ++i) {
    list[i] = (struct fake_performance){.algorithm = i, .memory = i == 1 ? 4096 : 0, .time = 0.1f};
    ++*given;
  }
  return 0;
}
EXPORT int cudnnGetConvolutionForwardAlgorithmMaxCount(void* handle, int* count) {
  MISBEHAVE();
  (void)handle;
  *count = 8;
  return 0;
}
EXPORT int cudnnGetConvolutionForwardAlgorithm_v7(void* handle, const struct fake_tensor* x,
                                                  const struct fake_tensor* w,
                                                  const struct fake_convolution* v,
                                                  const struct fake_tensor* y, int wanted, int* given,
                                                  struct fake_performance* list) {
  MISBEHAVE();
  (void)handle;
  return Fits(v, x, w, y) ? Algorithms(wanted, given, list) : kBadParam;
}
EXPORT int cudnnFindConvolutionForwardAlgorithm(void* handle, const struct fake_tensor* x,
                                                const struct fake_tensor* w, const struct fake_convolution* v,
                                                const struct fake_tensor* y, int wanted, int* given,
                                                struct fake_performance* list) {
  MISBEHAVE();
  (void)handle;
  return Fits(v, x, w, y) ? Algorithms(wanted, given, list) : kBadParam;
}

EXPORT int cudnnFindConvolutionBackwardDataAlgorithm(void* handle, const struct fake_tensor* w,
                                                     const struct fake_tensor* y,
                                                     const struct fake_convolution* v,
                                                     const struct fake_tensor* x, int wanted, int* given,
                                                     struct fake_performance* list) {
  MISBEHAVE();
  (void)handle;
  return Fits(v, x, w, y) ? Algorithms(wanted, given, list) : kBadParam;
}
EXPORT int cudnnFindConvolutionBackwardFilterAlgorithm(void* handle, const struct fake_tensor* x,
                                                       const struct fake_tensor* y,
                                                       const struct fake_convolution* v,
                                                       const struct fake_tensor* w, int wanted, int* given,
                                                       struct fake_performance* list) {
  MISBEHAVE();
  (void)handle;
  return Fits(v, x, w, y) ? Algorithms(wanted, given, list) : kBadParam;
}
EXPORT int cudnnGetConvolutionBackwardDataWorkspaceSize(void* handle, const struct fake_tensor* w,
                                                        const struct fake_tensor* y,
                                                        const struct fake_convolution* v,
                                                        const struct fake_tensor* x, int algorithm,
                                                        size_t* bytes) {
  MISBEHAVE();
  (void)handle;
  (void)algorithm;
  *bytes = 0;
  return Fits(v, x, w, y) ? 0 : kBadParam;
}
EXPORT int cudnnConvolutionBackwardData(void* handle, const float* alpha, const struct fake_tensor* w,
                                        const float* w_data, const struct fake_tensor* y, const float* y_data,
                                        const struct fake_convolution* v, int algorithm, void* workspace,
                                        size_t workspace_size, const float* beta, const struct fake_tensor* x,
                                        float* x_data) {
  MISBEHAVE();
  (void)workspace;
  (void)workspace_size;
  if (handle == NULL || !Fits(v, x, w, y)) return kBadParam;
  if (algorithm < 0 || algorithm > 5) return kNotSupported;
  double* sum = calloc(Count(x), sizeof *sum);
  struct work work = {NULL, w_data, y_data, sum};
  Walk(v, x, w, y, BackwardData, &work);
  Store(x_data, sum, Count(x), *alpha, *beta, WRONG());
  free(sum);
  return 0;
}
EXPORT int cudnnGetConvolutionBackwardFilterWorkspaceSize(void* handle, const struct fake_tensor* x,
                                                          const struct fake_tensor* y,
                                                          const struct fake_convolution* v,
                                                          const struct fake_tensor* w, int algorithm,
                                                          size_t* bytes) {
  MISBEHAVE();
  (void)handle;
  (void)algorithm;
  *bytes = 0;
  return Fits(v, x, w, y) ? 0 : kBadParam;
}
EXPORT int cudnnConvolutionBackwardFilter(void* handle, const float* alpha, const struct fake_tensor* x,
                                          const float* x_data, const struct fake_tensor* y,
                                          const float* y_data, const struct fake_convolution* v,
                                          int algorithm, void* workspace, size_t workspace_size,
                                          const float* beta, const struct fake_tensor* w, float* w_data) {
  MISBEHAVE();
  (void)workspace;
  (void)workspace_size;
  if (handle == NULL || !Fits(v, x, w, y)) return kBadParam;
  if (algorithm < 0 || algorithm > 6) return kNotSupported;
  double* sum = calloc(Count(w), sizeof *sum);
  struct work work = {x_data, NULL, y_data, sum};
  Walk(v, x, w, y, BackwardFilter, &work);
  Store(w_data, sum, Count(w), *alpha, *beta, WRONG());
  free(sum);
  return 0;
}
