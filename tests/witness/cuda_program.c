/* A program that uses CUDA as its arguments say, and prints the results. All libraries are next to it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/witness/cupti.h"

typedef int (*FakeCall)(int32_t domain, const char* function, int32_t code, const char* kernel, int ends);

static void See(void* user, int32_t domain, uint32_t id, const struct CuptiCallbackData* data) {
  (void)user, (void)domain, (void)id, (void)data;
}

static void* Function(const char* library, const char* name, int mode) {
  void* handle = dlopen(library, mode);
  return handle != NULL ? dlsym(handle, name) : NULL;
}

static void Do(char* word) {
  const char* what = strtok(word, ":");
  if (strcmp(what, "init") == 0) {
    int (*initialize)(unsigned) = (int (*)(unsigned))Function("libcuda.so.1", "cuInit", RTLD_NOW);
    printf("init %d\n", initialize(0));
  } else if (strcmp(what, "call") == 0 || strcmp(what, "enter") == 0) { /* call:1:cuInit:3:kernel */
    const int domain = atoi(strtok(NULL, ":"));
    const char* function = strtok(NULL, ":");
    const char* code = strtok(NULL, ":");
    const char* kernel = code != NULL ? strtok(NULL, ":") : NULL;
    const FakeCall call = (FakeCall)Function("libcupti.so.13", "FakeCall", RTLD_NOW | RTLD_NOLOAD);
    if (call != NULL)
      call(domain, strdup(function), code != NULL ? atoi(code) : 0, kernel != NULL ? strdup(kernel) : NULL,
           strcmp(what, "call") == 0);
    printf("%s %s\n", function, code != NULL ? code : "");
  } else if (strcmp(what, "fork") == 0) { /* the rest happens in a child */
    fflush(stdout);
    if (fork() != 0) {
      wait(NULL);
      exit(0);
    }
  } else if (strcmp(what, "linked") == 0) {
    dlopen("libprofiler.so", RTLD_NOW);
  } else if (strcmp(what, "profile-linked") == 0) {
    int (*profile)(void) = (int (*)(void))Function("libprofiler.so", "ProfileLinked", RTLD_NOW);
    printf("profile %d\n", profile());
  } else if (strcmp(what, "profile") == 0) {
    const CuptiSubscribe subscribe = (CuptiSubscribe)Function("libcupti.so.13", "cuptiSubscribe", RTLD_NOW);
    CuptiSubscriber subscriber;
    printf("profile %d\n", subscribe(&subscriber, See, NULL));
  }
}

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) Do(arguments[i]);
  return 7;
}
