/* Finds and maps the journal, knows whose process this is. No libc, so what libc would know (environment,
 * arguments) is read from /proc: ld.so hands neither to an audit library. */
#include "tell.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>

#include "system_calls.h"
#include "run/witness/journal_writer.h"

static struct CulpritJournal* journal;
static int32_t known_process;
/* For start-up alone, when there is one thread. A command line that is longer is cut. */
static char buffer[16384];

static long Open(const char* path, int flags) {
  return SystemCall4(__NR_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0);
}

static void Close(long file) { SystemCall4(__NR_close, file, 0, 0, 0); }

size_t ReadOwnFile(const char* path, char* to, size_t size) {
  const long file = Open(path, O_RDONLY);
  if (file < 0) return 0;
  size_t got = 0;
  while (got < size) {
    const long n = SystemCall4(__NR_read, file, (long)(to + got), (long)(size - got), 0);
    if (n <= 0) break;
    got += (size_t)n;
  }
  to[got] = '\0';
  Close(file);
  return got;
}

/* The value of CULPRIT_JOURNAL, left in `buffer`; NULL where there is none. An environment may be large: it
 * goes through the buffer, and an entry that is longer than it is cut, which ours is not. */
static const char* JournalPath(void) {
  static const char wanted[] = CULPRIT_JOURNAL_VARIABLE "=";
  const long file = Open("/proc/self/environ", O_RDONLY);
  if (file < 0) return NULL;
  const char* found = NULL;
  size_t held = 0; /* bytes in the buffer, from the beginning of an entry */
  int skipping = 0;
  for (;;) {
    const long n = SystemCall4(__NR_read, file, (long)(buffer + held), (long)(sizeof buffer - 1 - held), 0);
    if (n <= 0) break;
    held += (size_t)n;
    size_t begin = 0;
    for (size_t at = begin; at < held; ++at) {
      if (buffer[at] != '\0') continue;
      size_t same = 0;
      while (!skipping && same < sizeof wanted - 1 && buffer[begin + same] == wanted[same]) ++same;
      if (same == sizeof wanted - 1) {
        found = buffer + begin + same;
        break;
      }
      skipping = 0;
      begin = at + 1;
    }
    if (found != NULL) break;
    if (begin == 0 && held == sizeof buffer - 1) { /* longer than the buffer */
      skipping = 1;
      held = 0;
      continue;
    }
    for (volatile char *to = buffer, *from = buffer + begin; from < buffer + held; ++to, ++from) *to = *from;
    held -= begin;
  }
  Close(file);
  return found;
}

static struct CulpritWho Who(void) {
  struct timespec now = {0, 0};
  SystemCall4(__NR_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0);
  struct CulpritWho who;
  who.process = known_process;
  who.thread = (int32_t)SystemCall0(__NR_gettid);
  who.at = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  return who;
}

static int MapJournal(void) {
  const char* path = JournalPath();
  if (path == NULL) return 0;
  const long file = Open(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return 0;
  const long size = SystemCall4(__NR_lseek, file, 0, 2 /* SEEK_END */, 0);
  long mapped = -1;
  if (size >= (long)sizeof(struct CulpritJournal))
    mapped = SystemCall6(__NR_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  Close(file);
  if (mapped < 0 && mapped > -4096) return 0;
  journal = (struct CulpritJournal*)mapped;
  if (journal->magic == CULPRIT_JOURNAL_MAGIC && journal->size == (uint64_t)size) return 1;
  CloseJournal();
  return 0;
}

void CloseJournal(void) {
  if (journal == NULL) return;
  SystemCall4(__NR_munmap, (long)journal, (long)journal->size, 0, 0);
  journal = NULL;
}

/* Program and arguments share the buffer: the command line, a NUL, then the program. */
static void TellStart(void) {
  enum { kMaxArguments = 250, kRoomForProgram = 4097 };
  const size_t size = ReadOwnFile("/proc/self/cmdline", buffer, sizeof buffer - kRoomForProgram - 1);
  char* program = buffer + size + 1;
  const long length =
      SystemCall4(__NR_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)program, kRoomForProgram - 1);
  program[length > 0 ? length : 0] = '\0';
  char parent[17];
  const char* fields[2 + kMaxArguments];
  fields[0] = CulpritHex((uint64_t)SystemCall0(__NR_getppid), parent);
  fields[1] = program;
  size_t count = 2;
  for (size_t at = 0; at < size && count < 2 + kMaxArguments; ++at) {
    fields[count++] = buffer + at;
    while (buffer[at] != '\0') ++at;
  }
  CulpritWriteEvent(journal, kCulpritStart, Who(), fields, count);
}

int OpenJournal(void) {
  if (!MapJournal()) return 0;
  known_process = (int32_t)SystemCall0(__NR_getpid);
  TellStart();
  return 1;
}

void Tell(uint32_t kind, const char* const* fields, size_t count) {
  if (journal == NULL) return;
  const int32_t process = (int32_t)SystemCall0(__NR_getpid);
  if (process != known_process) {
    char origin[17], parent[17];
    const char* who[2] = {CulpritHex((uint64_t)known_process, origin),
                          CulpritHex((uint64_t)SystemCall0(__NR_getppid), parent)};
    known_process = process;
    CulpritWriteEvent(journal, kCulpritFork, Who(), who, 2);
  }
  CulpritWriteEvent(journal, kind, Who(), fields, count);
}

/* A sandbox may forbid the first way. The second one asks whether the page is there and hopes that it may be
 * read, which pages of stacks and of ELF headers may. */
size_t Peek(uintptr_t from, void* to, size_t size) {
  const struct iovec here = {to, size};
  const struct iovec there = {(void*)from, size};
  const long n =
      SystemCall6(__NR_process_vm_readv, SystemCall0(__NR_getpid), (long)&here, 1, (long)&there, 1, 0);
  if (n >= 0) return (size_t)n;
  if (n != -1 /* EPERM */ && n != -38 /* ENOSYS */) return 0;
  size_t copied = 0;
  for (uintptr_t page = 0; copied < size; ++copied) {
    const uintptr_t at = from + copied;
    unsigned char resident;
    if (page != (at & ~(uintptr_t)4095)) {
      page = at & ~(uintptr_t)4095;
      /* Its address must fit the page size, which may be larger: refused then, and nothing is read. */
      if (SystemCall4(__NR_mincore, (long)page, 1, (long)&resident, 0) != 0) break;
    }
    ((volatile char*)to)[copied] = *(const volatile char*)at;
  }
  return copied;
}
