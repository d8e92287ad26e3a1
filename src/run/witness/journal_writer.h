/* One event into a mapped journal. For libraries with and without libc, in any number of threads and
 * processes at once, also in a signal handler: no lock, no memory of its own. */
#ifndef CULPRIT_WITNESS_JOURNAL_WRITER_H_
#define CULPRIT_WITNESS_JOURNAL_WRITER_H_

#include <stddef.h>

#include "run/witness/journal.h"

struct CulpritWho {
  int32_t process;
  int32_t thread;
  uint64_t at;
};

/* A field may be NULL, which is written as "". */
static inline void CulpritWriteEvent(struct CulpritJournal* journal, uint32_t kind, struct CulpritWho who,
                                     const char* const* fields, size_t count) {
  uint64_t size = sizeof(struct CulpritEvent);
  for (size_t i = 0; i < count; ++i) {
    size_t length = 0;
    while (fields[i] != NULL && fields[i][length] != '\0') ++length;
    size += length + 1;
  }
  size = (size + 7) & ~(uint64_t)7;
  const uint64_t from = __atomic_fetch_add(&journal->used, size, __ATOMIC_RELAXED);
  if (size > UINT32_MAX || from > journal->size || size > journal->size - from) {
    __atomic_fetch_add(&journal->lost, 1, __ATOMIC_RELAXED);
    return;
  }
  struct CulpritEvent* event = (struct CulpritEvent*)((char*)journal + from);
  event->size = (uint32_t)size;
  event->process = who.process;
  event->thread = who.thread;
  event->at = who.at;
  /* What is left out is 0 already: the file has never been written there. Volatile, lest the compiler makes
   * it a call of memcpy. */
  volatile char* to = (volatile char*)(event + 1);
  for (size_t i = 0; i < count; ++i) {
    for (const char* text = fields[i]; text != NULL && *text != '\0' && to < (char*)event + size - 1; ++text)
      *to++ = *text;
    ++to;
  }
  __atomic_store_n(&event->kind, kind, __ATOMIC_RELEASE);
}

/* A number as a field. `text` has room for 17. */
static inline const char* CulpritHex(uint64_t number, char* text) {
  char* at = text + 16;
  *at = '\0';
  do {
    *--at = "0123456789abcdef"[number & 15];
    number >>= 4;
  } while (number != 0);
  return at;
}

#endif
