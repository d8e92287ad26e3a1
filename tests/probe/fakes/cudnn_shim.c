// libcudnn.so.9 and .8: has no code of its own; every call goes to a sub-library that is opened by name on first
// use. 9 tries four names and reports a missing one as unavailable, but ends the process if it is the
// graph; 8 tries one name and ends the process.
#include <dlfcn.h>

#include "cudnn.h"

#if FAKE_MAJOR >= 9
#define GRAPH "libcudnn_graph.so"
#define OPS "libcudnn_ops.so"
#define CNN "libcudnn_cnn.so"
#define ADV "libcudnn_adv.so"
#else
#define GRAPH "libcudnn_ops_infer.so"
#define OPS "libcudnn_ops_infer.so"
#define CNN "libcudnn_cnn_infer.so"
#define ADV "libcudnn_adv_infer.so"
#endif

// The loader's own dlopen, called from here: the address sanitizer's version calls it from the program, and
// then the RUNPATH of this library would not apply.
static void* Open(const char* name) {
  void* (*open)(const char*, int) = (void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen");
  return open(name, RTLD_NOW);
}

static void* OpenPart(const char* part) {
  char name[96];
#if FAKE_MAJOR >= 9
  static const int lengths[] = {3, 2, 1, 0};
  for (int i = 0; i < 4; ++i) {
    snprintf(name, sizeof name,
             lengths[i] == 3   ? "%s.%d.%d.%d"
             : lengths[i] == 2 ? "%s.%d.%d"
             : lengths[i] == 1 ? "%s.%d"
                               : "%s",
             part, FAKE_MAJOR, FAKE_MINOR, FAKE_PATCH);
    void* opened = Open(name);
    if (opened != NULL) return opened;
  }
  return NULL;
#else
  snprintf(name, sizeof name, "%s.%d", part, FAKE_MAJOR);
  void* opened = Open(name);
  if (opened != NULL) return opened;
  fprintf(stderr, "Could not load library %s. Error: %s\n", name, dlerror());
  abort();
#endif
}

// NULL: unavailable, and the caller can report it.
static void* Find(const char* part, const char* function) {
  void* opened = OpenPart(part);
  void* found = opened == NULL ? NULL : dlsym(opened, function);
  if (found == NULL) {
    fprintf(stderr, "Invalid handle. Cannot load symbol %s\n", function);
    if (strcmp(part, GRAPH) == 0) abort();
  }
  return found;
}

#define FORWARD(part, name, parameters, arguments)                 \
  EXPORT int name parameters {                                     \
    static int(*call) parameters;                                  \
    if (call == NULL) call = (int(*) parameters)Find(part, #name); \
    return call == NULL ? kUnavailable : call arguments;           \
  }
typedef void* p;
typedef const void* cp;

EXPORT size_t cudnnGetVersion(void) { return ((size_t (*)(void))Find(GRAPH, "cudnnGetVersion"))(); }
EXPORT size_t cudnnGetCudartVersion(void) {
  return ((size_t (*)(void))Find(GRAPH, "cudnnGetCudartVersion"))();
}
EXPORT const char* cudnnGetErrorString(int status) {
  return ((const char* (*)(int))Find(GRAPH, "cudnnGetErrorString"))(status);
}
#if FAKE_MAJOR >= 9
EXPORT void cudnnGetLastErrorString(char* message, size_t size) {
  ((void (*)(char*, size_t))Find(GRAPH, "cudnnGetLastErrorString"))(message, size);
}
FORWARD(GRAPH, cudnnGraphVersionCheck, (void), ())
FORWARD(OPS, cudnnOpsVersionCheck, (void), ())
FORWARD(CNN, cudnnCnnVersionCheck, (void), ())
FORWARD(ADV, cudnnAdvVersionCheck, (void), ())
#else
FORWARD(OPS, cudnnOpsInferVersionCheck, (void), ())
FORWARD(CNN, cudnnCnnInferVersionCheck, (void), ())
FORWARD(ADV, cudnnAdvInferVersionCheck, (void), ())
FORWARD("libcudnn_ops_train.so", cudnnOpsTrainVersionCheck, (void), ())
FORWARD("libcudnn_cnn_train.so", cudnnCnnTrainVersionCheck, (void), ())
FORWARD("libcudnn_adv_train.so", cudnnAdvTrainVersionCheck, (void), ())
#endif
FORWARD(GRAPH, cudnnCreate, (p * handle), (handle))
FORWARD(GRAPH, cudnnDestroy, (p handle), (handle))
FORWARD(GRAPH, cudnnSetStream, (p handle, p stream), (handle, stream))
FORWARD(GRAPH, cudnnGetProperty, (int type, int* value), (type, value))
FORWARD(OPS, cudnnCreateTensorDescriptor, (p * made), (made))
FORWARD(OPS, cudnnDestroyTensorDescriptor, (p made), (made))
FORWARD(OPS, cudnnSetTensor4dDescriptor, (p t, int f, int y, int n, int c, int h, int w),
        (t, f, y, n, c, h, w))
FORWARD(OPS, cudnnCreateFilterDescriptor, (p * made), (made))
FORWARD(OPS, cudnnDestroyFilterDescriptor, (p made), (made))
FORWARD(OPS, cudnnSetFilter4dDescriptor, (p t, int y, int f, int k, int c, int h, int w),
        (t, y, f, k, c, h, w))
FORWARD(CNN, cudnnCreateConvolutionDescriptor, (p * made), (made))
FORWARD(CNN, cudnnDestroyConvolutionDescriptor, (p made), (made))
FORWARD(CNN, cudnnSetConvolutionMathType, (p v, int math), (v, math))
FORWARD(CNN, cudnnSetConvolutionGroupCount, (p v, int groups), (v, groups))
FORWARD(CNN, cudnnSetConvolution2dDescriptor,
        (p v, int ph, int pw, int sh, int sw, int dh, int dw, int mode, int type),
        (v, ph, pw, sh, sw, dh, dw, mode, type))
FORWARD(CNN, cudnnGetConvolution2dForwardOutputDim, (cp v, cp x, cp f, int* n, int* c, int* h, int* w),
        (v, x, f, n, c, h, w))
FORWARD(CNN, cudnnGetConvolutionForwardWorkspaceSize,
        (p handle, cp x, cp w, cp v, cp y, int a, size_t* bytes), (handle, x, w, v, y, a, bytes))
FORWARD(CNN, cudnnConvolutionForward,
        (p handle, cp alpha, cp xd, cp x, cp wd, cp w, cp v, int a, p space, size_t size, cp beta, cp yd,
         p y),
        (handle, alpha, xd, x, wd, w, v, a, space, size, beta, yd, y))
FORWARD(CNN, cudnnGetConvolutionForwardAlgorithmMaxCount, (p handle, int* count), (handle, count))
FORWARD(CNN, cudnnGetConvolutionForwardAlgorithm_v7,
        (p handle, cp x, cp w, cp v, cp y, int wanted, int* given, p list),
        (handle, x, w, v, y, wanted, given, list))
FORWARD(CNN, cudnnFindConvolutionForwardAlgorithm,
        (p handle, cp x, cp w, cp v, cp y, int wanted, int* given, p list),
        (handle, x, w, v, y, wanted, given, list))
FORWARD(CNN, cudnnGetConvolutionBackwardDataWorkspaceSize,
        (p handle, cp w, cp y, cp v, cp x, int a, size_t* bytes), (handle, w, y, v, x, a, bytes))
FORWARD(CNN, cudnnConvolutionBackwardData,
        (p handle, cp alpha, cp wd, cp w, cp yd, cp y, cp v, int a, p space, size_t size, cp beta, cp xd,
         p x),
        (handle, alpha, wd, w, yd, y, v, a, space, size, beta, xd, x))
FORWARD(CNN, cudnnGetConvolutionBackwardFilterWorkspaceSize,
        (p handle, cp x, cp y, cp v, cp w, int a, size_t* bytes), (handle, x, y, v, w, a, bytes))
FORWARD(CNN, cudnnConvolutionBackwardFilter,
        (p handle, cp alpha, cp xd, cp x, cp yd, cp y, cp v, int a, p space, size_t size, cp beta, cp wd,
         p w),
        (handle, alpha, xd, x, yd, y, v, a, space, size, beta, wd, w))
FORWARD(CNN, cudnnFindConvolutionBackwardDataAlgorithm,
        (p handle, cp w, cp y, cp v, cp x, int wanted, int* given, p list),
        (handle, w, y, v, x, wanted, given, list))
FORWARD(CNN, cudnnFindConvolutionBackwardFilterAlgorithm,
        (p handle, cp x, cp y, cp v, cp w, int wanted, int* given, p list),
        (handle, x, y, v, w, wanted, given, list))
