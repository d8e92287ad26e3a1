// cuBLASLt: the product of float matrices, with its descriptors. Layouts and numbers as in cublasLt.h.
#include <stdint.h>

#include "driver_door.h"
#include "matrix.h"

enum {
  kNotInitialized = 1,
  kInvalidValue = 7,
  kNotSupported = 15,
  kFloat = 0,
  kTransposeA = 3,
  kTransposeB = 4
};

static int handle_mark;
struct operation {
  int compute, scale, transpose_a, transpose_b;
};
struct layout {
  int type;
  uint64_t rows, columns;
  int64_t leading;
};
struct heuristic {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

EXPORT int cublasLtCreate(void** handle) {
  MISBEHAVE();
  if (fake_need_context() != 0) return kNotInitialized;
  *handle = &handle_mark;
  return 0;
}
EXPORT int cublasLtDestroy(void* handle) {
  MISBEHAVE();
  (void)handle;
  return 0;
}
EXPORT size_t cublasLtGetVersion(void) { return 130100; }
EXPORT size_t cublasLtGetCudartVersion(void) { return 13000; }
EXPORT const char* cublasLtGetStatusName(int status) {
  switch (status) {
    case 0:
      return "CUBLAS_STATUS_SUCCESS";
    case 1:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 7:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case 15:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS_UNKNOWN";
  }
}
EXPORT const char* cublasLtGetStatusString(int status) {
  return status == 1 ? "the library was not initialized" : "the fake library says so";
}
EXPORT int cublasLtMatmulDescCreate(struct operation** made, int compute, int scale) {
  MISBEHAVE();
  *made = calloc(1, sizeof **made);
  (*made)->compute = compute;
  (*made)->scale = scale;
  return 0;
}
EXPORT int cublasLtMatmulDescDestroy(struct operation* operation) {
  MISBEHAVE();
  free(operation);
  return 0;
}
EXPORT int cublasLtMatmulDescSetAttribute(struct operation* operation, int attribute, const void* value,
                                          size_t size) {
  MISBEHAVE();
  if (size != 4) return kInvalidValue;
  if (attribute == kTransposeA) memcpy(&operation->transpose_a, value, 4);
  if (attribute == kTransposeB) memcpy(&operation->transpose_b, value, 4);
  return 0;
}
EXPORT int cublasLtMatrixLayoutCreate(struct layout** made, int type, uint64_t rows, uint64_t columns,
                                      int64_t leading) {
  MISBEHAVE();
  *made = calloc(1, sizeof **made);
  **made = (struct layout){type, rows, columns, leading};
  return 0;
}
EXPORT int cublasLtMatrixLayoutDestroy(struct layout* layout) {
  MISBEHAVE();
  free(layout);
  return 0;
}
EXPORT int cublasLtMatmulPreferenceCreate(void** preference) {
  MISBEHAVE();
  *preference = calloc(1, 64);
  return 0;
}
EXPORT int cublasLtMatmulPreferenceSetAttribute(void* preference, int attribute, const void* value,
                                                size_t size) {
  MISBEHAVE();
  (void)preference;
  (void)attribute;
  (void)value;
  (void)size;
  return 0;
}
EXPORT int cublasLtMatmulPreferenceDestroy(void* preference) {
  MISBEHAVE();
  free(preference);
  return 0;
}
EXPORT int cublasLtMatmulAlgoGetHeuristic(void* handle, struct operation* operation, struct layout* a,
                                          struct layout* b, struct layout* c, struct layout* d,
                                          void* preference, int wanted, struct heuristic* results,
                                          int* count) {
  MISBEHAVE();
  (void)preference;
  if (handle != &handle_mark || wanted <= 0) return kInvalidValue;
  if (operation->scale != kFloat || a->type != kFloat || b->type != kFloat || c->type != kFloat ||
      d->type != kFloat)
    return kNotSupported;
  memset(results, 0, sizeof *results);
  *count = 1;
  return 0;
}
EXPORT int cublasLtMatmul(void* handle, struct operation* operation, const float* alpha, const float* a,
                          struct layout* a_layout, const float* b, struct layout* b_layout, const float* beta,
                          const float* c, struct layout* c_layout, float* d, struct layout* d_layout,
                          const void* algorithm, void* workspace, size_t workspace_size, void* stream) {
  MISBEHAVE();
  (void)algorithm;
  (void)workspace;
  (void)workspace_size;
  (void)stream;
  if (handle != &handle_mark) return kNotInitialized;
  if (a_layout->type != kFloat || b_layout->type != kFloat || d_layout->type != kFloat) return kNotSupported;
  const uint64_t k = operation->transpose_a ? a_layout->rows : a_layout->columns;
  const uint64_t m = operation->transpose_a ? a_layout->columns : a_layout->rows;
  const uint64_t b_rows = operation->transpose_b ? b_layout->columns : b_layout->rows;
  const uint64_t n = operation->transpose_b ? b_layout->rows : b_layout->columns;
  if (b_rows != k || d_layout->rows != m || d_layout->columns != n) return kInvalidValue;
  fake_gemm(operation->transpose_a, operation->transpose_b, (int64_t)m, (int64_t)n, (int64_t)k, *alpha, a,
            a_layout->leading, b, b_layout->leading, *beta, c, c_layout->leading, d, d_layout->leading);
  if (WRONG()) d[0] += 1;
  return 0;
}
