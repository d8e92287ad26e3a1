/* The audit library (LD_AUDIT, rtld-audit(7)): glibc's loader tells it which names are requested, every
 * candidate, what was mapped where and what was closed again. It must not disturb the program: no libc (a second
 * one would be searched for and loaded), no open descriptor, nothing written but the journal, no la_symbind or
 * la_pltenter and no binding flags, so that calls are bound as always (docs/decisions.md). */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "crash.h"
#include "tell.h"
#include "valgrind.h"
#include "run/witness/journal_writer.h"

#ifdef __GLIBC__ /* elsewhere there is nothing to audit */

#include "run/witness/search_stage.h"

#define SHOWN __attribute__((visibility("default")))

static int ready;
static const struct link_map* program;
static int ending; /* at exit ld.so closes everything, the program first; that is not news */

/* Version 2 came with glibc 2.35; the versions differ only in what we do not use. */
SHOWN unsigned int la_version(unsigned int version) {
  if (version == 0 || !OpenJournal()) return 0;
#if defined(__aarch64__)
  if (version < 2) {
    /* Auditing corrupts x8 and half of the vector registers in every call (glibc bug 26643), even if no call is
     * audited. Programs would break. */
    const char* fields[] = {"loads", "",
                            "the glibc of this program is older than 2.35, where auditing breaks programs"};
    Tell(kCulpritWatching, fields, 3);
    CloseJournal();
    return 0;
  }
#endif
  if (LeaveValgrindAlone()) {
    const char* fields[] = {"loads", "",
                            "under valgrind, memory that the loader frees for an audit library is reported as an error"};
    Tell(kCulpritWatching, fields, 3);
    CloseJournal();
    return 0;
  }
  NoteCrashes();
  return version < 2 ? version : 2;
}

/* Pointers in the dynamic section are relocated by ld.so, unless the section cannot be written. */
static uintptr_t DynamicPointer(const struct link_map* map, uintptr_t value) {
  return value < map->l_addr ? value + map->l_addr : value;
}

static const char* LastPart(const char* path) {
  const char* last = path;
  for (; *path != '\0'; ++path)
    if (*path == '/') last = path + 1;
  return last;
}

static int Same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

/* ld.so passes the string of the requester's DT_NEEDED itself, unless it had to expand a $TOKEN. */
static int IsNeeded(const struct link_map* map, const char* name) {
  const char* strings = NULL;
  uintptr_t size = 0;
  for (const ElfW(Dyn)* d = map->l_ld; d != NULL && d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_STRTAB) strings = (const char*)DynamicPointer(map, d->d_un.d_ptr);
    if (d->d_tag == DT_STRSZ) size = d->d_un.d_val;
  }
  if (strings == NULL) return 0;
  if ((uintptr_t)name - (uintptr_t)strings < size) return 1;
  for (const ElfW(Dyn)* d = map->l_ld; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag != DT_NEEDED || d->d_un.d_val >= size) continue;
    const char* needed = strings + d->d_un.d_val;
    const char* token = needed;
    while (*token != '\0' && *token != '$') ++token;
    if (*token == '$' && Same(LastPart(needed), LastPart(name))) return 1;
  }
  return 0;
}

SHOWN char* la_objsearch(const char* name, uintptr_t* cookie, unsigned int flag) {
  if ((uintptr_t)cookie < 65536) return (char*)name; /* older glibc: no object, so not an address */
  /* The cookie is the object's link map until somebody changes it. */
  const struct link_map* requester = (const struct link_map*)*cookie;
  const char* fields[4] = {SearchStage(requester, flag), name, requester->l_name};
  size_t count = 3;
  if (flag == LA_SER_ORIG)
    fields[count++] = IsNeeded(requester, name) ? "needed" : ready ? "dlopen" : "preload";
  Tell(kCulpritSearch, fields, count);
  return (char*)name;
}

/* Where an object is mapped, from its program headers; end 0 if they cannot be found. */
struct Range {
  uintptr_t begin, end;
};

enum { kMaxHeaders = 20 };

static struct Range RangeOf(const ElfW(Phdr) * headers, size_t count, uintptr_t bias) {
  const struct Range unknown = {bias, 0};
  struct Range range = {UINTPTR_MAX, 0};
  for (size_t i = 0; i < count; ++i) {
    if (headers[i].p_type != PT_LOAD) continue;
    const uintptr_t begin = bias + (headers[i].p_vaddr & ~(uintptr_t)4095);
    const uintptr_t end = bias + headers[i].p_vaddr + headers[i].p_memsz;
    if (end < begin) return unknown;
    if (begin < range.begin) range.begin = begin;
    if (end > range.end) range.end = end;
  }
  return range.end == 0 ? unknown : range;
}

/* The ELF header is at the start of nearly every object; the program headers follow it or, after patchelf, are
 * elsewhere. If this fails, the reader of the journal can still look into the file. */
static struct Range RangeOfLibrary(uintptr_t bias) {
  struct {
    ElfW(Ehdr) header;
    ElfW(Phdr) programs[kMaxHeaders];
  } seen;
  const struct Range unknown = {bias, 0};
  size_t got = Peek(bias, &seen, sizeof seen);
  const ElfW(Ehdr)* header = &seen.header;
  if (got < sizeof *header || header->e_ident[0] != 0x7f || header->e_ident[1] != 'E' ||
      header->e_ident[2] != 'L' || header->e_ident[3] != 'F' || header->e_phentsize != sizeof *seen.programs ||
      header->e_phnum > kMaxHeaders)
    return unknown;
  got -= sizeof *header;
  const size_t wanted = header->e_phnum * sizeof *seen.programs;
  if (header->e_phoff != sizeof *header) got = Peek(bias + header->e_phoff, seen.programs, wanted);
  if (got < wanted) return unknown;
  /* One of them must have mapped the header here; otherwise these are other bytes. */
  for (size_t i = 0; i < header->e_phnum; ++i)
    if (seen.programs[i].p_type == PT_LOAD && seen.programs[i].p_offset == 0 && seen.programs[i].p_vaddr == 0)
      return RangeOf(seen.programs, header->e_phnum, bias);
  return unknown;
}

/* A program that is not position-independent: the kernel says where its headers are. */
static struct Range RangeOfFixedProgram(void) {
  ElfW(auxv_t) auxiliary[40];
  ElfW(Phdr) programs[kMaxHeaders];
  const size_t size = ReadOwnFile("/proc/self/auxv", (char*)auxiliary, sizeof auxiliary - 1);
  uintptr_t headers = 0;
  size_t count = 0;
  for (size_t i = 0; i < size / sizeof *auxiliary; ++i) {
    if (auxiliary[i].a_type == AT_PHDR) headers = auxiliary[i].a_un.a_val;
    if (auxiliary[i].a_type == AT_PHNUM) count = auxiliary[i].a_un.a_val;
  }
  if (count > kMaxHeaders) count = kMaxHeaders;
  count = Peek(headers, programs, count * sizeof *programs) / sizeof *programs;
  return RangeOf(programs, count, 0);
}

static struct Range RangeOfObject(const struct link_map* map) {
  return map->l_addr != 0 ? RangeOfLibrary(map->l_addr) : RangeOfFixedProgram();
}

static int IsKernels(const char* name) { /* linux-vdso.so.1 */
  return name[0] == 'l' && name[1] == 'i' && name[2] == 'n' && name[3] == 'u' && name[4] == 'x' &&
         name[5] == '-';
}

SHOWN unsigned int la_objopen(struct link_map* map, Lmid_t name_space, uintptr_t* cookie) {
  (void)cookie;
  if (program == NULL) program = map;
  if (IsKernels(map->l_name)) return 0;
  const struct Range range = RangeOfObject(map);
  char begin[17], end[17], space[17], bias[17];
  const char* fields[] = {map->l_name, CulpritHex(range.begin, begin), CulpritHex(range.end, end),
                          CulpritHex((uint64_t)name_space, space), CulpritHex(map->l_addr, bias)};
  Tell(kCulpritOpen, fields, 5);
  return 0;
}

SHOWN unsigned int la_objclose(uintptr_t* cookie) {
  const struct link_map* map = (const struct link_map*)*cookie;
  if (map == program) ending = 1;
  if (ending || IsKernels(map->l_name)) return 0;
  char begin[17];
  const char* fields[] = {map->l_name, CulpritHex(RangeOfObject(map).begin, begin)};
  Tell(kCulpritClose, fields, 2);
  return 0;
}

/* The first LA_ACT_CONSISTENT: the start-up libraries are loaded and relocated, and none of their code has run.
 * (la_preinit comes after their constructors.) */
SHOWN void la_activity(uintptr_t* cookie, unsigned int flag) {
  (void)cookie;
  if (ready || flag != LA_ACT_CONSISTENT) return;
  ready = 1;
  Tell(kCulpritReady, NULL, 0);
}

#endif /* __GLIBC__ */
