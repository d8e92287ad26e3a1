/* The journal of this process, for the parts of the audit library. Hidden: the library shows la_* alone. */
#ifndef CULPRIT_WITNESS_TELL_H_
#define CULPRIT_WITNESS_TELL_H_

#include <stddef.h>
#include <stdint.h>

/* Maps the journal that the environment names and writes Start. 0: there is none, or it is not one. */
int OpenJournal(void);
void CloseJournal(void);

/* Writes an event; a process that has forked since the last one is introduced first. */
void Tell(uint32_t kind, const char* const* fields, size_t count);

/* Up to `size` bytes of /proc/self/NAME, and a NUL behind them; their number. */
size_t ReadOwnFile(const char* path, char* to, size_t size);

/* Copies memory of this process that may not be there: the number of bytes that could be read, a prefix. */
size_t Peek(uintptr_t from, void* to, size_t size);

#endif
