/* Parts of culprit-injection.so, the library that the CUDA driver loads into a watched program
 * (CUDA_INJECTION64_PATH) and that tells which CUDA calls failed and which never came back.
 *   injection.c          the entry: finds CUPTI, subscribes
 *   injection_calls.c    what happens at each call
 *   injection_journal.c  writing into the journal (journal.h)
 *   injection_yield.c    steps aside when the program wants CUPTI for itself
 * Whatever goes wrong here, the program goes on as if nobody had looked. */
#ifndef CULPRIT_WITNESS_INJECTION_H_
#define CULPRIT_WITNESS_INJECTION_H_

#include <dlfcn.h>
#include <stdbool.h>

#include "run/witness/cupti.h"
#include "run/witness/journal.h"

/* The oldest version of these, which every glibc has. */
#if defined(__x86_64__)
#define CULPRIT_OLDEST "GLIBC_2.2.5"
#else
#define CULPRIT_OLDEST "GLIBC_2.17"
#endif
__asm__(".symver dlopen,dlopen@" CULPRIT_OLDEST);
__asm__(".symver dlsym,dlsym@" CULPRIT_OLDEST);
__asm__(".symver dlerror,dlerror@" CULPRIT_OLDEST);
#if defined(__x86_64__)
__asm__(".symver dladdr1,dladdr1@GLIBC_2.3.3");
#else
__asm__(".symver dladdr1,dladdr1@GLIBC_2.17");
#endif

/* Maps the file that CULPRIT_JOURNAL names; false: there is none, or it is not one of ours. */
bool OpenJournal(void);
/* The journal; NULL before OpenJournal. */
struct CulpritJournal* Journal(void);
int32_t ThisProcess(void); /* also right after a fork */
int32_t ThisThread(void);
uint64_t RoughlyNow(void); /* CLOCK_MONOTONIC, within some milliseconds: a fifth of the cost */
void Tell(enum CulpritEventKind kind, const char* const* fields, size_t count);
/* kCulpritWatching of the CUDA calls. */
void TellWatching(const char* how, const char* why_not);

void OnCall(void* user, int32_t domain, uint32_t id, const struct CuptiCallbackData* data);

/* From now on a cuptiSubscribe of the program's own ends ours first. `cupti`: handle of the library. False:
 * that cannot be arranged here. */
bool YieldWhenAsked(void* cupti, CuptiSubscriber subscriber);

#endif
