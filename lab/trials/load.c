/* Really loads: does what its arguments say, in order, and prints the results and what is in the process afterwards.
     NAME      dlopen
     @NAME     calls a function without arguments that returns a number
     nvrtc     compiles a kernel with NVRTC, which needs no GPU
   Lines: "did WHAT: RESULT" for each, "has PATH" for each object in the process, at the end or when it dies.
   With -Wl,... it is linked with the libraries of a trial. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int Tell(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size, (void)unused;
  if (info->dlpi_name[0] == '\0') return 0;
  if (write(1, "has ", 4) < 0 || write(1, info->dlpi_name, strlen(info->dlpi_name)) < 0) return 1;
  return write(1, "\n", 1) < 0;
}

static void Die(int number) {
  dl_iterate_phdr(Tell, NULL);
  signal(number, SIG_DFL);
  raise(number);
}

static const char kKernel[] = "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }\n";

static void Compile(void) {
  typedef int Create(void**, const char*, const char*, int, const char* const*, const char* const*);
  typedef int CompileProgram(void*, int, const char* const*);
  typedef int LogSize(void*, size_t*);
  typedef int Log(void*, char*);
  Create* create = (Create*)dlsym(RTLD_DEFAULT, "nvrtcCreateProgram");
  CompileProgram* compile = (CompileProgram*)dlsym(RTLD_DEFAULT, "nvrtcCompileProgram");
  LogSize* log_size = (LogSize*)dlsym(RTLD_DEFAULT, "nvrtcGetProgramLogSize");
  Log* log = (Log*)dlsym(RTLD_DEFAULT, "nvrtcGetProgramLog");
  if (!create || !compile || !log_size || !log) {
    printf("did nvrtc: not loaded\n");
    return;
  }
  void* program = NULL;
  size_t size = 0;
  int status = create(&program, kKernel, "twice.cu", 0, NULL, NULL);
  if (status == 0) status = compile(program, 0, NULL);
  printf("did nvrtc: %d\n", status);
  if (program == NULL || log_size(program, &size) != 0) return;
  char* text = malloc(size + 1);
  if (text != NULL && log(program, text) == 0 && size > 1) printf("%s\n", text);
  free(text);
}

static void Do(const char* step) {
  if (strcmp(step, "nvrtc") == 0) {
    Compile();
  } else if (step[0] == '@') {
    size_t (*function)(void) = (size_t(*)(void))dlsym(RTLD_DEFAULT, step + 1);
    if (function != NULL) {
      printf("did %s: %d\n", step + 1, (int)function());
    } else {
      printf("did %s: %s\n", step + 1, dlerror());
    }
  } else {
    void* library = dlopen(step, RTLD_NOW | RTLD_GLOBAL);
    printf("did %s: %s\n", step, library != NULL ? "opened" : dlerror());
  }
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  signal(SIGABRT, Die);
  signal(SIGBUS, Die);
  signal(SIGSEGV, Die);
  for (int i = 1; i < argc; ++i) Do(argv[i]);
  dl_iterate_phdr(Tell, NULL);
  return 0;
}
