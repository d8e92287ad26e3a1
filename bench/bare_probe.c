// The steps of `culprit probe` once, in one process, as a user would write them with the headers, and nothing else.
// bench/probe compares culprit with it. Needs a GPU, the toolkit's and cuDNN's headers:
//   cc -O2 bare_probe.c -I$CUDA/include -L$CUDA/lib64 -lcuda -lcudart -lnvrtc -lcublas -lcublasLt -lcudnn -lm
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <math.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
static double last;
static void lap(const char* what) {
  const double t = now();
  fprintf(stderr, "%-12s %8.1f ms\n", what, t - last);
  last = t;
}
#define MUST(call)                                                      \
  do {                                                                  \
    const int status_ = (int)(call);                                    \
    if (status_ != 0) {                                                 \
      fprintf(stderr, "%s = %d (line %d)\n", #call, status_, __LINE__); \
      exit(1);                                                          \
    }                                                                   \
  } while (0)

static const char kPtx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .pred %p1; .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "setp.ge.u32 %p1, %r5, %r1; @%p1 bra done;\n"
    "cvta.to.global.u64 %rd1, %rd1; mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "mad.lo.s32 %r4, %r5, 3, 7; st.global.u32 [%rd3], %r4;\ndone: ret;\n}\n";
static const char kSource[] = "extern \"C\" __global__ void k(unsigned* p, unsigned n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i * 3 + 7; }";

static void launch(CUmodule module) {
  CUfunction f;
  CUdeviceptr p;
  unsigned n = 4096, host[4096];
  MUST(cuModuleGetFunction(&f, module, "k"));
  MUST(cuMemAlloc(&p, n * 4));
  void* arguments[] = {&p, &n};
  MUST(cuLaunchKernel(f, n / 256, 1, 1, 256, 1, 1, 0, 0, arguments, 0));
  MUST(cuMemcpyDtoH(host, p, n * 4));
  for (unsigned i = 0; i < n; ++i)
    if (host[i] != i * 3 + 7) exit(2);
  MUST(cuMemFree(p));
}

enum { kN = 64 };
static float a[kN * kN], b[kN * kN], c[kN * kN];
static void check_product(const char* what) {
  double worst = 0;
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j < kN; ++j) {
      double sum = 0;
      for (int k = 0; k < kN; ++k) sum += (double)a[k * kN + i] * b[j * kN + k];
      const double error = fabs(c[j * kN + i] - sum);
      if (error > worst) worst = error;
    }
  fprintf(stderr, "%s: largest error %g\n", what, worst);
}

int main(void) {
  const double start = last = now();
  int count, version;
  CUdevice device;
  CUcontext context;
  MUST(cuInit(0));
  MUST(cuDriverGetVersion(&version));
  MUST(cuDeviceGetCount(&count));
  lap("init");
  MUST(cuDeviceGet(&device, 0));
  int major, minor;
  MUST(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  MUST(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  MUST(cuDevicePrimaryCtxRetain(&context, device));
  MUST(cuCtxSetCurrent(context));
  lap("context");

  const size_t size = 4 << 20;
  char *from = malloc(size), *to = malloc(size);
  for (size_t i = 0; i < size; ++i) from[i] = (char)(i * 2654435761u >> 13);
  CUdeviceptr p;
  MUST(cuMemAlloc(&p, 16 << 20));
  MUST(cuMemcpyHtoD(p, from, size));
  MUST(cuMemcpyDtoH(to, p, size));
  if (memcmp(from, to, size) != 0) return 2;
  MUST(cuMemFree(p));
  lap("memory, copy");

  CUmodule module;
  MUST(cuModuleLoadDataEx(&module, kPtx, 0, 0, 0));
  launch(module);
  lap("kernel");

  nvrtcProgram program;
  char option[40];
  snprintf(option, sizeof option, "--gpu-architecture=sm_%d%d", major, minor);
  const char* options[] = {option};
  MUST(nvrtcCreateProgram(&program, kSource, "k.cu", 0, 0, 0));
  MUST(nvrtcCompileProgram(program, 1, options));
  size_t cubin_size;
  MUST(nvrtcGetCUBINSize(program, &cubin_size));
  char* cubin = malloc(cubin_size);
  MUST(nvrtcGetCUBIN(program, cubin));
  MUST(cuModuleLoadData(&module, cubin));
  launch(module);
  lap("nvrtc");

  for (int i = 0; i < kN * kN; ++i) a[i] = (float)(i % 17) - 8, b[i] = (float)(i % 13) - 6;
  CUdeviceptr da, db, dc;
  MUST(cuMemAlloc(&da, sizeof a));
  MUST(cuMemAlloc(&db, sizeof b));
  MUST(cuMemAlloc(&dc, sizeof c));
  MUST(cuMemcpyHtoD(da, a, sizeof a));
  MUST(cuMemcpyHtoD(db, b, sizeof b));
  const float one = 1, zero = 0;
  cublasHandle_t blas;
  MUST(cublasCreate(&blas));
  MUST(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, kN, kN, kN, &one, (float*)da, kN, (float*)db, kN, &zero, (float*)dc, kN));
  MUST(cuMemcpyDtoH(c, dc, sizeof c));
  check_product("cuBLAS");
  lap("cublas");
  cublasLtHandle_t lt;
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t layout;
  MUST(cublasLtCreate(&lt));
  MUST(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  MUST(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, kN, kN, kN));
  MUST(cublasLtMatmul(lt, operation, &one, (void*)da, layout, (void*)db, layout, &zero, (void*)dc, layout, (void*)dc, layout, 0, 0, 0, 0));
  MUST(cuMemcpyDtoH(c, dc, sizeof c));
  check_product("cuBLASLt");
  lap("cublaslt");

  cudnnHandle_t dnn;
  MUST(cudnnCreate(&dnn));
  fprintf(stderr, "cuDNN %zu\n", cudnnGetVersion());
  lap("cudnn create");
  MUST(cudnnGraphVersionCheck());
  MUST(cudnnOpsVersionCheck());
  MUST(cudnnCnnVersionCheck());
  MUST(cudnnAdvVersionCheck());
  lap("cudnn parts");
  enum { kImages = 2, kIn = 8, kSide = 32, kOut = 16 };
  cudnnTensorDescriptor_t x, y;
  cudnnFilterDescriptor_t w;
  cudnnConvolutionDescriptor_t convolution;
  MUST(cudnnCreateTensorDescriptor(&x));
  MUST(cudnnCreateTensorDescriptor(&y));
  MUST(cudnnCreateFilterDescriptor(&w));
  MUST(cudnnCreateConvolutionDescriptor(&convolution));
  MUST(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, kImages, kIn, kSide, kSide));
  MUST(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, kImages, kOut, kSide, kSide));
  MUST(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, kOut, kIn, 3, 3));
  MUST(cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  MUST(cudnnSetConvolutionMathType(convolution, CUDNN_FMA_MATH));
  size_t workspace_size;
  const cudnnConvolutionFwdAlgo_t algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  MUST(cudnnGetConvolutionForwardWorkspaceSize(dnn, x, w, convolution, y, algorithm, &workspace_size));
  static float image[kImages * kIn * kSide * kSide], filter[kOut * kIn * 9], result[kImages * kOut * kSide * kSide];
  for (size_t i = 0; i < sizeof image / sizeof *image; ++i) image[i] = (float)(i % 23) / 23 - 0.5f;
  for (size_t i = 0; i < sizeof filter / sizeof *filter; ++i) filter[i] = (float)(i % 19) / 19 - 0.5f;
  CUdeviceptr dx, dw, dy, workspace;
  MUST(cuMemAlloc(&dx, sizeof image));
  MUST(cuMemAlloc(&dw, sizeof filter));
  MUST(cuMemAlloc(&dy, sizeof result));
  MUST(cuMemAlloc(&workspace, workspace_size + 1));
  MUST(cuMemcpyHtoD(dx, image, sizeof image));
  MUST(cuMemcpyHtoD(dw, filter, sizeof filter));
  MUST(cudnnConvolutionForward(dnn, &one, x, (void*)dx, w, (void*)dw, convolution, algorithm, (void*)workspace, workspace_size, &zero, y, (void*)dy));
  MUST(cuMemcpyDtoH(result, dy, sizeof result));
  double worst = 0, largest = 0;
  for (int n = 0; n < kImages; ++n)
    for (int o = 0; o < kOut; ++o)
      for (int r = 0; r < kSide; ++r)
        for (int s = 0; s < kSide; ++s) {
          double sum = 0;
          for (int i = 0; i < kIn; ++i)
            for (int u = 0; u < 3; ++u)
              for (int v = 0; v < 3; ++v) {
                const int rr = r + u - 1, ss = s + v - 1;
                if (rr < 0 || ss < 0 || rr >= kSide || ss >= kSide) continue;
                sum += (double)image[((n * kIn + i) * kSide + rr) * kSide + ss] * filter[((o * kIn + i) * 3 + u) * 3 + v];
              }
          const double error = fabs(result[((n * kOut + o) * kSide + r) * kSide + s] - sum);
          if (error > worst) worst = error;
          if (fabs(sum) > largest) largest = fabs(sum);
        }
  fprintf(stderr, "convolution: relative error %g\n", worst / largest);
  lap("convolution");
  fprintf(stderr, "all          %8.1f ms\n", now() - start);
  return 0;
}
