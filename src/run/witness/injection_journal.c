/* Writing into the journal from a library with libc. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "run/witness/injection.h"
#include "run/witness/journal_writer.h"

static struct CulpritJournal* journal;
static int32_t process;            /* 0 in a child right after a fork */
static __thread int32_t thread_id; /* 0: not asked for yet, or before a fork */
static __thread int32_t thread_of; /* the process that it belongs to */

/* What pthread_atfork() calls; in libc itself in every glibc. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void* dso);
extern void* __dso_handle;

static void InChild(void) { process = 0; }

bool OpenJournal(void) {
  const char* path = getenv(CULPRIT_JOURNAL_VARIABLE);
  if (path == NULL || *path != '/') return false;
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return false;
  const off_t size = lseek(file, 0, SEEK_END);
  void* mapped = MAP_FAILED;
  if (size >= (off_t)sizeof(struct CulpritJournal))
    mapped = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return false;
  struct CulpritJournal* found = mapped;
  if (found->magic != CULPRIT_JOURNAL_MAGIC || found->size > (uint64_t)size) {
    munmap(mapped, (size_t)size);
    return false;
  }
  journal = found;
  __register_atfork(NULL, NULL, InChild, &__dso_handle);
  return true;
}

struct CulpritJournal* Journal(void) { return journal; }

int32_t ThisProcess(void) {
  int32_t id = __atomic_load_n(&process, __ATOMIC_RELAXED);
  if (id == 0) {
    id = (int32_t)getpid();
    __atomic_store_n(&process, id, __ATOMIC_RELAXED);
  }
  return id;
}

int32_t ThisThread(void) {
  const int32_t id = ThisProcess();
  if (thread_of != id) {
    thread_id = (int32_t)syscall(SYS_gettid);
    thread_of = id;
  }
  return thread_id;
}

static uint64_t Time(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t RoughlyNow(void) { return Time(CLOCK_MONOTONIC_COARSE); }

void Tell(enum CulpritEventKind kind, const char* const* fields, size_t count) {
  if (journal == NULL) return;
  const struct CulpritWho who = {ThisProcess(), ThisThread(), Time(CLOCK_MONOTONIC)};
  CulpritWriteEvent(journal, kind, who, fields, count);
}

void TellWatching(const char* how, const char* why_not) {
  const char* const fields[] = {"CUDA calls", how, why_not};
  Tell(kCulpritWatching, fields, 3);
}
