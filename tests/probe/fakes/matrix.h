// op(A) * op(B), column-major, as in BLAS.
#pragma once

#include <stdint.h>

static __attribute__((unused)) void fake_gemm(int transpose_a, int transpose_b, int64_t m, int64_t n,
                                              int64_t k, float alpha, const float* a, int64_t lda,
                                              const float* b, int64_t ldb, float beta, const float* c,
                                              int64_t ldc, float* d, int64_t ldd) {
  for (int64_t column = 0; column < n; ++column) {
    for (int64_t row = 0; row < m; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < k; ++i)
        sum += (double)a[transpose_a ? i + row * lda : row + i * lda] *
               b[transpose_b ? column + i * ldb : i + column * ldb];
      const double old = beta == 0 ? 0 : (double)beta * c[row + column * ldc];
      d[row + column * ldd] = (float)((double)alpha * sum + old);
    }
  }
}
