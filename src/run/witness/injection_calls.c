/* What happens at each CUDA call of a watched program: its name stands in the thread's slot while it runs, and
 * becomes an event when it fails. A slot holds the outermost call: cudaDeviceSynchronize, not the
 * cuCtxSynchronize inside. Most calls are launches, so a call that goes well costs two stores and the time. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "run/witness/call_noise.h"
#include "run/witness/injection.h"
#include "run/witness/journal_writer.h"

enum {
  kKernelSize = 1024,
  kRepeats = 64, /* of one failure in a row */
};

struct Thread {
  struct CulpritSlot* slot;
  int32_t domain; /* of the call in the slot; 0 none */
  uint32_t id;
  uint32_t correlation;
  const char* name;        /* in the slot */
  const char* failed;      /* last call that failed, ... */
  int32_t code;            /* with this, ... */
  int32_t repeats;         /* that often */
  char kernel[kKernelSize]; /* launched last */
};
static __thread struct Thread self;

/* Slots of threads that have ended are used again when no other is left. */
static struct CulpritSlot* TakeSlot(struct CulpritJournal* journal) {
  const int32_t process = ThisProcess();
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kCulpritJournalSlots; ++i) {
      struct CulpritSlot* slot = &journal->slots[i];
      int32_t owner = __atomic_load_n(&slot->process, __ATOMIC_RELAXED);
      if (owner != 0) {
        if (round == 0 || slot->since != 0) continue;
        if (syscall(SYS_tgkill, owner, slot->thread, 0) == 0 || errno != ESRCH) continue;
      }
      if (__atomic_compare_exchange_n(&slot->process, &owner, process, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
        slot->thread = ThisThread();
        return slot;
      }
    }
  }
  return NULL;
}

static struct CulpritSlot* Slot(void) {
  if (self.slot == NULL || self.slot->process != ThisProcess()) { /* the first call, or a fork since */
    self.slot = TakeSlot(Journal());
    self.name = NULL;
    self.domain = 0;
  }
  return self.slot;
}

static void Enter(int32_t domain, uint32_t id, const struct CuptiCallbackData* data) {
  struct CulpritSlot* slot = Slot();
  if (slot == NULL) return;
  if (domain == kCuptiDriverApi && self.domain == kCuptiRuntimeApi) return;
  if (self.name != data->function) {
    memccpy(slot->function, data->function, 0, kCulpritNameSize - 1);
    self.name = data->function;
  }
  self.domain = domain;
  self.id = id;
  self.correlation = data->correlation;
  __atomic_store_n(&slot->since, RoughlyNow(), __ATOMIC_RELEASE);
}

static void Leave(int32_t domain, uint32_t id, const struct CuptiCallbackData* data) {
  if (self.domain != domain || self.id != id || self.correlation != data->correlation) return;
  self.domain = 0;
  if (self.slot != NULL) __atomic_store_n(&self.slot->since, 0, __ATOMIC_RELAXED);
}

static void Failed(int32_t domain, const struct CuptiCallbackData* data, int32_t code) {
  if (self.failed == data->function && self.code == code) {
    if (++self.repeats > kRepeats) return;
  } else {
    self.failed = data->function;
    self.code = code;
    self.repeats = 0;
  }
  char number[17];
  const bool launch = CulpritHas(data->function, "Launch");
  const bool late = code >= 700 && code < 720; /* a kernel did it, perhaps long ago */
  char kernel[kKernelSize] = ""; /* names of templates grow long */
  if (launch && data->symbol != NULL) memccpy(kernel, data->symbol, 0, kKernelSize - 1);
  const char* const fields[] = {domain == kCuptiDriverApi ? "driver" : "runtime", data->function,
                                CulpritHex((uint32_t)code, number), kernel, late ? self.kernel : ""};
  Tell(kCulpritCall, fields, 5);
}

/* Kept for errors that show only later, in a call that waits. */
static void NoteKernel(const struct CuptiCallbackData* data) {
  if (data->symbol == NULL || strncmp(data->function, "cuLaunch", 8) != 0) return;
  memccpy(self.kernel, data->symbol, 0, kKernelSize - 1);
}

void OnCall(void* user, int32_t domain, uint32_t id, const struct CuptiCallbackData* data) {
  (void)user;
  if ((domain != kCuptiDriverApi && domain != kCuptiRuntimeApi) || data == NULL || data->function == NULL)
    return;
  const int error = errno;
  if (data->site == kCuptiEnter) {
    Enter(domain, id, data);
    NoteKernel(data);
  } else {
    if (data->result != NULL && *data->result != 0 && CulpritIsFailure(data->function, *data->result))
      Failed(domain, data, *data->result);
    Leave(domain, id, data);
  }
  errno = error;
}
