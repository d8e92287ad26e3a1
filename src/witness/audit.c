/* The audit library (LD_AUDIT, rtld-audit(7)) by which the loader of glibc tells what it does: names that are
 * asked for, every candidate, what was mapped where, what was closed again. It must not disturb: no libc (a
 * second one would be searched for and loaded), no descriptor kept, nothing written but the journal, no
 * la_symbind or la_pltenter and no binding flags, so that calls are bound as always (docs/decisions.md). */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "crash.h"
#include "tell.h"
#include "witness/journal_writer.h"

#ifdef __GLIBC__ /* elsewhere there is nothing to audit */

#define SHOWN __attribute__((visibility("default")))

static int ready;
static const struct link_map* program;
static int ending; /* at the end ld.so closes everything, the program first: nobody wants to know */

/* Version 2 came with glibc 2.35; the two differ in what we do not use. */
SHOWN unsigned int la_version(unsigned int version) {
  if (version == 0 || !OpenJournal()) return 0;
#if defined(__aarch64__)
  if (version < 2) {
    /* Its way into audited calls loses x8 and half of the vector registers (glibc bug 26643), whether or not
     * anybody wants to see the calls: programs would go wrong. */
    const char* fields[] = {"loads", "",
                            "the glibc of this program is older than 2.35, where auditing breaks programs"};
    Tell(kCulpritWatching, fields, 3);
    CloseJournal();
    return 0;
  }
#endif
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

/* ld.so hands over the very string of the requester's DT_NEEDED, except where it had to expand a $TOKEN. */
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

/* RPATH and RUNPATH share a flag; an object that has a RUNPATH is never searched for by an RPATH. */
static const char* Stage(const struct link_map* requester, unsigned int flag) {
  switch (flag) {
    case LA_SER_ORIG:
      return "request";
    case LA_SER_LIBPATH:
      return "ld_library_path";
    case LA_SER_CONFIG:
      return "cache";
    case LA_SER_DEFAULT:
      return "default";
    case LA_SER_RUNPATH:
      for (const ElfW(Dyn)* d = requester->l_ld; d != NULL && d->d_tag != DT_NULL; ++d)
        if (d->d_tag == DT_RUNPATH) return "runpath";
      return "rpath";
    default:
      return "other";
  }
}

SHOWN char* la_objsearch(const char* name, uintptr_t* cookie, unsigned int flag) {
  if ((uintptr_t)cookie < 65536) return (char*)name; /* older ones: of no object, so of no address */
  /* The cookie of an object is its link map until somebody changes it. */
  const struct link_map* requester = (const struct link_map*)*cookie;
  const char* fields[4] = {Stage(requester, flag), name, requester->l_name};
  size_t count = 3;
  if (flag == LA_SER_ORIG)
    fields[count++] = IsNeeded(requester, name) ? "needed" : ready ? "dlopen" : "preload";
  Tell(kCulpritSearch, fields, count);
  return (char*)name;
}

/* Where an object lies, by its program headers; end 0 where they are not to be found. */
struct Range {
  uintptr_t begin, end;
};

static struct Range RangeOf(const ElfW(Phdr) * headers, size_t count, uintptr_t bias) {
  struct Range range = {UINTPTR_MAX, 0};
  for (size_t i = 0; i < count; ++i) {
    if (headers[i].p_type != PT_LOAD) continue;
    const uintptr_t begin = bias + (headers[i].p_vaddr & ~(uintptr_t)4095);
    const uintptr_t end = bias + headers[i].p_vaddr + headers[i].p_memsz;
    if (begin < range.begin) range.begin = begin;
    if (end > range.end) range.end = end;
  }
  if (range.end == 0) range.begin = bias;
  return range;
}

static struct Range RangeOfObject(const struct link_map* map) {
  struct {
    ElfW(Ehdr) header;
    ElfW(Phdr) programs[20];
  } seen;
  const struct Range unknown = {map->l_addr, 0};
  size_t count;
  if (map->l_addr != 0) {
    /* The ELF header lies at the beginning of nearly every object, and the program headers behind it. */
    const size_t got = Peek(map->l_addr, &seen, sizeof seen);
    if (got < sizeof seen.header || *(const uint32_t*)seen.header.e_ident != 0x464c457f /* "\177ELF" */ ||
        seen.header.e_phoff != sizeof seen.header || seen.header.e_phentsize != sizeof *seen.programs)
      return unknown;
    count = (got - sizeof seen.header) / sizeof *seen.programs;
    if (seen.header.e_phnum < count) count = seen.header.e_phnum;
  } else { /* a program that is not position-independent: the kernel says where its headers are */
    ElfW(auxv_t) auxiliary[40];
    const size_t size = ReadOwnFile("/proc/self/auxv", (char*)auxiliary, sizeof auxiliary - 1);
    uintptr_t headers = 0;
    count = 0;
    for (size_t i = 0; i < size / sizeof *auxiliary; ++i) {
      if (auxiliary[i].a_type == AT_PHDR) headers = auxiliary[i].a_un.a_val;
      if (auxiliary[i].a_type == AT_PHNUM) count = auxiliary[i].a_un.a_val;
    }
    if (count > sizeof seen.programs / sizeof *seen.programs)
      count = sizeof seen.programs / sizeof *seen.programs;
    count = Peek(headers, seen.programs, count * sizeof *seen.programs) / sizeof *seen.programs;
  }
  return RangeOf(seen.programs, count, map->l_addr);
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

/* The first time that all is consistent, the libraries of start-up are loaded and relocated, and nothing of
 * them has run. (la_preinit comes after their constructors.) */
SHOWN void la_activity(uintptr_t* cookie, unsigned int flag) {
  (void)cookie;
  if (ready || flag != LA_ACT_CONSISTENT) return;
  ready = 1;
  Tell(kCulpritReady, NULL, 0);
}

#endif /* __GLIBC__ */
