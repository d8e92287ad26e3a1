/* A fake driver for tests: its cuInit handles CUDA_INJECTION64_PATH like the real one. */
#include <dlfcn.h>
#include <stdlib.h>

int cuInit(unsigned flags) {
  (void)flags;
  const char* path = getenv("CUDA_INJECTION64_PATH");
  void* library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) return 0;
  int (*initialize)(void) = (int (*)(void))dlsym(library, "InitializeInjection");
  if (initialize != NULL) initialize();
  return 0;
}
