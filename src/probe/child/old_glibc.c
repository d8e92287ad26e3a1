/* Lets culprit-probe start on glibc 2.17 although it is linked against a newer one. The linker option --wrap
 * sends each name below, also from libstdc++.a, libgcc_eh.a and crt1.o, to __wrap_NAME here (CMakeLists.txt
 * has the list).
 * - Names that glibc 2.34 gave a new version when libdl and libpthread moved into libc: we ask for the old
 * version, which every later glibc still has.
 * - Names that an old glibc lacks: they are made here.
 * packaging/test-release reads from the program that nothing newer is left. Facts: glibc's NEWS
 * for 2.32, 2.34 and 2.35, csu/libc-start.c, and <dlfcn.h> for _dl_find_object. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define CULPRIT_OLDEST "GLIBC_2.2.5"
#define CULPRIT_OLDEST_DLINFO "GLIBC_2.3.3"
#else
#define CULPRIT_OLDEST "GLIBC_2.17"
#define CULPRIT_OLDEST_DLINFO "GLIBC_2.17"
#endif
#define HIDDEN __attribute__((visibility("hidden")))

typedef int Main(int, char**, char**);
typedef void Hook(void);

/* The real ones, in their old version. */
extern int OldStart(Main* main, int count, char** words, Main* init, Hook* fini, Hook* loader_fini,
                    void* stack_end);
extern void* OldOpen(const char* name, int mode);
extern void* OldFind(void* handle, const char* symbol);
extern char* OldError(void);
extern int OldInfo(void* handle, int request, void* info);
extern int OldOnce(pthread_once_t* once, Hook* routine);
extern int OldKeyCreate(pthread_key_t* key, void (*destructor)(void*));
__asm__(".symver OldStart,__libc_start_main@" CULPRIT_OLDEST);
__asm__(".symver OldOpen,dlopen@" CULPRIT_OLDEST);
__asm__(".symver OldFind,dlsym@" CULPRIT_OLDEST);
__asm__(".symver OldError,dlerror@" CULPRIT_OLDEST);
__asm__(".symver OldInfo,dlinfo@" CULPRIT_OLDEST_DLINFO);
__asm__(".symver OldOnce,pthread_once@" CULPRIT_OLDEST);
__asm__(".symver OldKeyCreate,__pthread_key_create@" CULPRIT_OLDEST);

HIDDEN void* __wrap_dlopen(const char* name, int mode) { return OldOpen(name, mode); }
HIDDEN void* __wrap_dlsym(void* handle, const char* symbol) { return OldFind(handle, symbol); }
HIDDEN char* __wrap_dlerror(void) { return OldError(); }
HIDDEN int __wrap_dlinfo(void* handle, int request, void* info) { return OldInfo(handle, request, info); }
HIDDEN int __wrap_pthread_once(pthread_once_t* once, Hook* routine) { return OldOnce(once, routine); }
HIDDEN int __wrap___pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  return OldKeyCreate(key, destructor);
}

/* From glibc 2.34 on, __libc_start_main runs a program's constructors itself and crt1.o passes none. An older
 * one runs only what it is given; a newer one that is given something leaves the rest alone. */
extern Main* const __init_array_start[] HIDDEN;
extern Main* const __init_array_end[] HIDDEN;
extern void _init(void);

static int RunConstructors(int count, char** words, char** environment) {
  _init();
  for (Main* const* next = __init_array_start; next != __init_array_end; ++next)
    (*next)(count, words, environment);
  return 0;
}

HIDDEN int __wrap___libc_start_main(Main* main, int count, char** words, Main* init, Hook* fini,
                                    Hook* loader_fini, void* stack_end) {
  return OldStart(main, count, words, init != NULL ? init : RunConstructors, fini, loader_fini, stack_end);
}

/* False means only "use atomic instructions", which is always right. */
HIDDEN char __wrap___libc_single_threaded = 0;

/* Where the unwinder finds the tables of the object that holds `pc`, by the older dl_iterate_phdr. */
struct Search {
  uintptr_t pc;
  struct dl_find_object* found;
};

static int LooksInto(struct dl_phdr_info* object, size_t size, void* data) {
  const struct Search* search = data;
  const ElfW(Phdr)* tables = NULL;
  const ElfW(Phdr)* holder = NULL;
  (void)size;
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    if (part->p_type == PT_GNU_EH_FRAME) tables = part;
    if (part->p_type == PT_LOAD && search->pc - (object->dlpi_addr + part->p_vaddr) < part->p_memsz)
      holder = part;
  }
  if (holder == NULL || tables == NULL) return 0;
  search->found->dlfo_map_start = (void*)(object->dlpi_addr + holder->p_vaddr);
  search->found->dlfo_map_end = (void*)(object->dlpi_addr + holder->p_vaddr + holder->p_memsz);
  search->found->dlfo_eh_frame = (void*)(object->dlpi_addr + tables->p_vaddr);
  return 1;
}

HIDDEN int __wrap__dl_find_object(void* pc, struct dl_find_object* found) {
  struct Search search = {(uintptr_t)pc, found};
  return dl_iterate_phdr(LooksInto, &search) == 1 ? 0 : -1;
}
