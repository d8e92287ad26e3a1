/* What the libraries inside a watched program tell culprit: one file that all its processes map and append
 * to. A mapping and not a descriptor: it survives fork, and a program that closes or counts its descriptors
 * does not notice. An event is reserved by adding to `used`, filled in, and becomes valid with its size,
 * written last. C because the audit library has no libc; watch/journal_reader.h reads it. */
#ifndef CULPRIT_WITNESS_JOURNAL_H_
#define CULPRIT_WITNESS_JOURNAL_H_

#include <stdint.h>

/* Environment variables for the libraries. */
#define CULPRIT_JOURNAL_VARIABLE "CULPRIT_JOURNAL" /* path of the file */
#define CULPRIT_CUPTI_VARIABLE "CULPRIT_CUPTI"     /* paths of libcupti to try, ':' between them */

#define CULPRIT_JOURNAL_MAGIC 0x314c4e524a4c5543ull /* "CULJRNL1" */

enum {
  kCulpritJournalSlots = 1024, /* threads whose current CUDA call is kept */
  kCulpritNameSize = 48,
};

/* The CUDA call that a thread is in: for those that never return. */
struct CulpritSlot {
  int32_t process; /* 0: free */
  int32_t thread;
  uint64_t since; /* CLOCK_MONOTONIC, ns; 0: in none */
  char function[kCulpritNameSize];
};

struct CulpritJournal {
  uint64_t magic;
  uint64_t size; /* of the file */
  uint64_t used; /* atomic: first free byte */
  uint64_t lost; /* atomic: events for which there was no room */
  struct CulpritSlot slots[kCulpritJournalSlots];
};

enum CulpritEventKind {
  /* Fields of an event are NUL-terminated strings, one after the other. Numbers are written in hexadecimal.
   */
  kCulpritStart =
      1, /* program, argument... : a process, after exec (or the first event after a fork: see Fork) */
  kCulpritFork = 2,   /* parent's pid: first event of a process that did not exec */
  kCulpritSearch = 3, /* stage ("request", "rpath", "runpath", "ld_library_path", "cache", "default"), name or
                         path, requester */
  kCulpritOpen = 4,   /* path, base address, end address, namespace ("0" = the program's) */
  kCulpritClose = 5,  /* path */
  kCulpritCrash = 6,  /* signal, si_code, address, program counter, word... of the stack */
  kCulpritCall = 7,   /* api, function, code, kernel that it launches, kernel that the thread launched last
                           (where that may be to blame): a call that failed */
  kCulpritWatching = 8, /* what, how, why not */
  kCulpritReady = 9,    /* la_preinit: what follows is asked for by dlopen */
};

struct CulpritEvent {
  uint32_t size; /* atomic, written last; with this header, a multiple of 8. 0: not finished */
  uint32_t kind;
  int32_t process;
  int32_t thread;
  uint64_t at; /* CLOCK_MONOTONIC, ns */
  /* fields */
};

#endif
