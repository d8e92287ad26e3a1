/* A program to watch; it does what its arguments say: victim HOW [ARGUMENT...]. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void Load(const char* name) {
  if (dlopen(name, RTLD_NOW) == NULL) printf("%s\n", dlerror());
}

static void* LoadInThread(void* name) {
  Load(name);
  return NULL;
}

static void Handled(int signal) { _exit(signal); }

static void Crash(void) {
  void (*crash)(void) = (void (*)(void))dlsym(dlopen("libcrash.so", RTLD_NOW), "Crash");
  crash();
}

static int Descriptors(void) {
  int count = 0;
  DIR* directory = opendir("/proc/self/fd");
  while (readdir(directory) != NULL) ++count;
  closedir(directory);
  return count;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  setvbuf(stdout, NULL, _IONBF, 0);
  if (strcmp(how, "load") == 0) {
    for (int i = 2; i < argc; ++i) Load(argv[i]);
  } else if (strcmp(how, "reload") == 0) {
    dlclose(dlopen(argv[2], RTLD_NOW));
    Load(argv[3]);
  } else if (strcmp(how, "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, LoadInThread, argv[2]);
    pthread_join(thread, NULL);
  } else if (strcmp(how, "fork") == 0) {
    if (fork() == 0) {
      Load(argv[2]);
      Crash();
    }
    int status = 0;
    wait(&status);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  } else if (strcmp(how, "exec") == 0) {
    if (fork() == 0) return execv(argv[2], argv + 2);
    int status = 0;
    wait(&status);
    return WEXITSTATUS(status);
  } else if (strcmp(how, "close") == 0) {
    for (int i = 0; i < 1024; ++i) close(i);
    Load(argv[2]);
    return 7;
  } else if (strcmp(how, "descriptors") == 0) {
    return Descriptors();
  } else if (strcmp(how, "crash") == 0) {
    Crash();
  } else if (strcmp(how, "handled") == 0) {
    signal(SIGSEGV, Handled);
    Crash();
  } else if (strcmp(how, "ignored") == 0) { /* as whoever started it wanted */
    raise(SIGABRT);
  } else if (strcmp(how, "abort") == 0) {
    abort();
  } else if (strcmp(how, "kill") == 0) {
    kill(getpid(), SIGSEGV);
    for (;;) pause();
  }
  return 0;
}
