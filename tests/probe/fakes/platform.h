// What the fakes need from the operating system. The driver and NVML are also built for Windows, as
// nvcuda.dll and nvml.dll (packaging/test-windows); there the words stop, oom-kill, garbage and fork of
// misbehave.h do nothing.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Never inlined, so that a stack walk finds the library.
#define FAKE_OWN static __attribute__((unused, noinline))

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <windows.h>

#define EXPORT __declspec(dllexport)

FAKE_OWN void fake_sleep(double seconds) { Sleep((DWORD)(seconds * 1000)); }
FAKE_OWN void fake_write(int fd, const char* text) { _write(fd, text, (unsigned)strlen(text)); }
FAKE_OWN void fake_end(void) { TerminateProcess(GetCurrentProcess(), 0); }
FAKE_OWN void fake_ways_of_linux(const char* word) { (void)word; }
FAKE_OWN void* fake_reserve(size_t size) {
  return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}
FAKE_OWN void fake_release(void* at, size_t size) {
  (void)size;
  VirtualFree(at, 0, MEM_RELEASE);
}
// From a library of the process; NULL if there is none.
FAKE_OWN void* fake_symbol(const char* linux_library, const char* windows_library, const char* name) {
  (void)linux_library;
  return (void*)(size_t)GetProcAddress(GetModuleHandleA(windows_library), name);
}

#else

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

FAKE_OWN void fake_sleep(double seconds) {
  struct timespec left;
  left.tv_sec = (time_t)seconds;
  left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
  while (nanosleep(&left, &left) != 0) {
  }
}
FAKE_OWN void fake_write(int fd, const char* text) {
  if (write(fd, text, strlen(text)) < 0) return;  // closed: then there is nobody to disturb
}
FAKE_OWN void fake_end(void) { _exit(0); }
FAKE_OWN void fake_ways_of_linux(const char* word) {
  if (strcmp(word, "oom-kill") == 0) raise(SIGKILL);
  if (strcmp(word, "stop") == 0) raise(SIGSTOP);
  if (strcmp(word, "garbage") == 0) {
    for (int fd = 3; fd < 4096; ++fd) {
      const int mode = fcntl(fd, F_GETFL);
      if (mode >= 0 && (mode & O_ACCMODE) != O_RDONLY)
        fake_write(fd,
                   "\x7f"
                   "ELF not a line\n\n%zz ok\n");
    }
  }
  if (strcmp(word, "fork") == 0 && fork() == 0) {
    fake_sleep(3600);  // who waits for it, waits until ctest ends the test
    _exit(0);
  }
}
// Address space, but no memory until it is written to. NULL if there is none.
FAKE_OWN void* fake_reserve(size_t size) {
  void* at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}
FAKE_OWN void fake_release(void* at, size_t size) { munmap(at, size); }
FAKE_OWN void* fake_symbol(const char* linux_library, const char* windows_library, const char* name) {
  (void)windows_library;
  void* library = dlopen(linux_library, RTLD_NOW | RTLD_NOLOAD);
  return library == NULL ? NULL : dlsym(library, name);
}

#endif
