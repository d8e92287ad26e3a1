// cuBLAS: handles, versions and the product of float matrices. Status values as in cublas_api.h.
#include "driver_door.h"
#include "matrix.h"

enum { kNotInitialized = 1, kAllocFailed = 3, kInvalidValue = 7, kNotSupported = 15 };

static int handle_mark;

EXPORT int cublasCreate_v2(void** handle) {
  MISBEHAVE();
  const int status = fake_need_context();
  if (status != 0) return status == 2 ? kAllocFailed : kNotInitialized;
  *handle = &handle_mark;
  return 0;
}
EXPORT int cublasDestroy_v2(void* handle) {
  MISBEHAVE();
  return handle == &handle_mark ? 0 : kNotInitialized;
}
EXPORT int cublasGetVersion_v2(void* handle, int* version) {
  MISBEHAVE();
  (void)handle;
  *version = 130100;
  return 0;
}
EXPORT int cublasGetProperty(int type, int* value) {
  MISBEHAVE();
  *value = type == 0 ? 13 : type == 1 ? 1 : 0;
  return 0;
}
EXPORT int cublasSetStream_v2(void* handle, void* stream) {
  MISBEHAVE();
  (void)handle;
  (void)stream;
  return 0;
}
EXPORT int cublasSetMathMode(void* handle, int mode) {
  MISBEHAVE();
  (void)handle;
  (void)mode;
  return 0;
}
EXPORT int cublasSgemm_v2(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                          const float* alpha, const float* a, int lda, const float* b, int ldb,
                          const float* beta, float* c, int ldc) {
  MISBEHAVE();
  if (handle != &handle_mark) return kNotInitialized;
  if (m < 0 || n < 0 || k < 0 || lda < (transpose_a ? k : m) || ldb < (transpose_b ? n : k) || ldc < m)
    return kInvalidValue;
  fake_gemm(transpose_a, transpose_b, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc, c, ldc);
  if (WRONG()) c[0] += 1;
  return 0;
}

EXPORT const char* cublasGetStatusName(int status) {
  switch (status) {
    case 0:
      return "CUBLAS_STATUS_SUCCESS";
    case 1:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case 8:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 13:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case 15:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS_UNKNOWN";
  }
}
EXPORT const char* cublasGetStatusString(int status) {
  return status == 1 ? "the library was not initialized" : "the fake library says so";
}
