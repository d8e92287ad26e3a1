/* CUPTI serves one subscriber at a time. A program that profiles itself (torch.profiler, jax.profiler) would be
 * refused because of us, so what it finds under the name cuptiSubscribe is ours: it gives our subscription up
 * and goes on to the real one. Two things make it find that: the value of the symbol in libcupti's table, for
 * all who look it up from now on (dlsym, lazy binding), and the pointers of those objects that are linked to
 * libcupti and have looked it up already (their global offset tables). */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/witness/injection.h"

#if defined(__x86_64__)
enum { kJumpSlot = R_X86_64_JUMP_SLOT, kGlobalData = R_X86_64_GLOB_DAT };
#else
enum { kJumpSlot = R_AARCH64_JUMP_SLOT, kGlobalData = R_AARCH64_GLOB_DAT };
#endif

static CuptiSubscribe real_subscribe;
static CuptiSubscribe2 real_subscribe2; /* NULL before CUDA 12.8 */
static CuptiUnsubscribe unsubscribe;
static CuptiSubscriber ours; /* NULL: given up */

static void GiveUp(void) {
  const CuptiSubscriber subscriber = __atomic_exchange_n(&ours, NULL, __ATOMIC_ACQ_REL);
  if (subscriber == NULL) return;
  unsubscribe(subscriber);
  TellWatching("", "the program started to use CUPTI itself (cuptiSubscribe), which allows only one user at a time");
}

static int32_t Subscribe(CuptiSubscriber* subscriber, CuptiCallback callback, void* user) {
  GiveUp();
  return real_subscribe(subscriber, callback, user);
}

static int32_t Subscribe2(CuptiSubscriber* subscriber, CuptiCallback callback, void* user, void* parameters) {
  GiveUp();
  return real_subscribe2(subscriber, callback, user, parameters);
}

/* How the memory at `place` is protected, once relocated; -1: not of this object. */
static int ProtectionOf(const struct dl_phdr_info* object, uintptr_t place) {
  int protection = -1;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* header = &object->dlpi_phdr[i];
    const uintptr_t from = object->dlpi_addr + header->p_vaddr;
    if (place < from || place - from >= header->p_memsz) continue;
    if (header->p_type == PT_GNU_RELRO) return PROT_READ;
    if (header->p_type == PT_LOAD)
      protection = ((header->p_flags & PF_R) != 0 ? PROT_READ : 0) |
                   ((header->p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
                   ((header->p_flags & PF_X) != 0 ? PROT_EXEC : 0);
  }
  return protection;
}

/* One aligned word of a loaded object, which may be read-only. */
static bool Set(const struct dl_phdr_info* object, uintptr_t place, uintptr_t value) {
  const int protection = ProtectionOf(object, place);
  if (protection < 0 || place % sizeof(uintptr_t) != 0) return false;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  void* const start = (void*)(place & ~(page - 1));
  const bool locked = (protection & PROT_WRITE) == 0;
  if (locked && mprotect(start, page, protection | PROT_WRITE) != 0) return false;
  __atomic_store_n((uintptr_t*)place, value, __ATOMIC_RELEASE);
  if (locked) mprotect(start, page, protection);
  return true;
}

struct Tables {
  const ElfW(Sym) * symbols;
  const char* strings;
  const ElfW(Rela) * of_data;
  size_t of_data_size;
  const ElfW(Rela) * of_calls;
  size_t of_calls_size;
  bool needs_cupti;
};

/* glibc has made these pointers absolute, but for those of the kernel's own object. */
static struct Tables Read(const struct dl_phdr_info* object, const ElfW(Dyn) * dynamic) {
  struct Tables tables = {0};
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    const ElfW(Addr) value = entry->d_un.d_ptr;
    const ElfW(Addr) address = value < object->dlpi_addr ? value + object->dlpi_addr : value;
    switch (entry->d_tag) {
      case DT_SYMTAB: tables.symbols = (const ElfW(Sym)*)address; break;
      case DT_STRTAB: tables.strings = (const char*)address; break;
      case DT_RELA: tables.of_data = (const ElfW(Rela)*)address; break;
      case DT_RELASZ: tables.of_data_size = entry->d_un.d_val; break;
      case DT_JMPREL: tables.of_calls = (const ElfW(Rela)*)address; break;
      case DT_PLTRELSZ: tables.of_calls_size = entry->d_un.d_val; break;
    }
  }
  if (tables.symbols == NULL || tables.strings == NULL) return tables;
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED && strncmp(tables.strings + entry->d_un.d_val, "libcupti.so", 11) == 0)
      tables.needs_cupti = true;
  }
  return tables;
}

static void Redirect(const struct dl_phdr_info* object, const struct Tables* tables, const ElfW(Rela) * first,
                     size_t size) {
  for (size_t i = 0; first != NULL && i < size / sizeof *first; ++i) {
    const unsigned type = (unsigned)ELF64_R_TYPE(first[i].r_info);
    if (type != kJumpSlot && type != kGlobalData) continue;
    const char* name = tables->strings + tables->symbols[ELF64_R_SYM(first[i].r_info)].st_name;
    const uintptr_t place = object->dlpi_addr + first[i].r_offset;
    if (strcmp(name, "cuptiSubscribe") == 0) Set(object, place, (uintptr_t)Subscribe);
    if (strcmp(name, "cuptiSubscribe_v2") == 0 && real_subscribe2 != NULL)
      Set(object, place, (uintptr_t)Subscribe2);
  }
}

struct Symbol {
  uintptr_t real; /* address of the function; 0 not there */
  uintptr_t ours;
  ElfW(Sym) * entry; /* in the table of symbols */
  bool changed;
};

static int Look(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  struct Symbol* symbols = data;
  for (int i = 0; i < 2; ++i) {
    struct Symbol* symbol = &symbols[i];
    if (symbol->entry != NULL && !symbol->changed && ProtectionOf(object, (uintptr_t)symbol->entry) >= 0 &&
        symbol->entry->st_value + object->dlpi_addr == symbol->real)
      symbol->changed =
          Set(object, (uintptr_t)&symbol->entry->st_value, symbol->ours - object->dlpi_addr);
  }
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const struct Tables tables =
        Read(object, (const ElfW(Dyn)*)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr));
    if (!tables.needs_cupti) continue;
    Redirect(object, &tables, tables.of_calls, tables.of_calls_size);
    Redirect(object, &tables, tables.of_data, tables.of_data_size);
  }
  return 0;
}

static struct Symbol Find(const char* name, void* function, uintptr_t ours_instead) {
  struct Symbol symbol = {(uintptr_t)function, ours_instead, NULL, false};
  Dl_info where;
  void* entry = NULL;
  if (function != NULL && dladdr1(function, &where, &entry, RTLD_DL_SYMENT) != 0 && where.dli_sname != NULL &&
      strcmp(where.dli_sname, name) == 0)
    symbol.entry = entry;
  return symbol;
}

bool YieldWhenAsked(void* cupti, CuptiSubscriber subscriber) {
  real_subscribe = (CuptiSubscribe)dlsym(cupti, "cuptiSubscribe");
  real_subscribe2 = (CuptiSubscribe2)dlsym(cupti, "cuptiSubscribe_v2");
  unsubscribe = (CuptiUnsubscribe)dlsym(cupti, "cuptiUnsubscribe");
  ours = subscriber;
  struct Symbol symbols[] = {
      Find("cuptiSubscribe", (void*)real_subscribe, (uintptr_t)Subscribe),
      Find("cuptiSubscribe_v2", (void*)real_subscribe2, (uintptr_t)Subscribe2)};
  dl_iterate_phdr(Look, symbols);
  return symbols[0].changed && (real_subscribe2 == NULL || symbols[1].changed);
}
