/* What the libraries inside a watched program tell culprit: one file that all its processes map and append
 * to. A mapping and not a descriptor: it survives fork, and a program that closes or counts its descriptors
 * does not notice. C because the audit library has no libc; journal_writer.h writes events,
 * watch/journal_reader.h reads them.
 *
 * Who makes the file allocates all of it (posix_fallocate): a page for which the disk has no room would end
 * the program with SIGBUS. It lies on tmpfs (/dev/shm) where there is one: on a disk each page that a process
 * touches first costs a fifth of a millisecond and more. The directory of the libraries must be open to every
 * user (0711), because a process that has become another user still has LD_AUDIT, and ld.so complains about a
 * library that it cannot open; one that can be opened and cannot open the journal stays silent. */
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
  uint64_t used; /* atomic: first free byte, at first sizeof(struct CulpritJournal). May grow beyond size */
  uint64_t lost; /* atomic: events for which there was no room */
  struct CulpritSlot slots[kCulpritJournalSlots];
};

enum CulpritEventKind {
  /* Fields of an event are NUL-terminated strings, one after the other; the last one may be followed by up to
   * seven NUL more. Numbers are written in hexadecimal. */
  kCulpritStart = 1,  /* parent's pid, program, argument... : a process, after exec */
  kCulpritFork = 2,   /* pid whose memory it began with, parent's pid: the first event of a process that did
                         not exec. One that tells nothing else is not known at all. */
  kCulpritSearch = 3, /* stage ("request", "rpath", "runpath", "ld_library_path", "cache", "default"), name or
                         path, requester; and of a request, who asks: "needed", "preload", "dlopen" */
  kCulpritOpen = 4,   /* path ("" the program), lowest address, end address (0 not known), namespace
                         ("0" = the program's), what to add to an address in the file */
  kCulpritClose = 5,  /* path, lowest address: while the program runs, not when it ends */
  kCulpritCrash = 6,  /* signal, si_code, address, program counter, word of the stack that looks like a return
                         address... */
  kCulpritCall = 7,   /* api, function, code, kernel that it launches, kernel that the thread launched last
                         (where that one may be to blame): a call that failed */
  kCulpritWatching = 8, /* what, how, why not */
  kCulpritReady = 9,    /* start-up is done, constructors come next: what follows is asked for by dlopen */
};

struct CulpritEvent {
  uint32_t size; /* written first; with this header and the fields, a multiple of 8 */
  uint32_t kind; /* atomic, written last. 0: not finished */
  int32_t process;
  int32_t thread;
  uint64_t at; /* CLOCK_MONOTONIC, ns */
  /* fields */
};

#endif
