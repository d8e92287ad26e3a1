// The audit library (LD_AUDIT) through which the real glibc loader reports what it does. One line per event
// goes to descriptor 9, fields separated by tabs:
//   S  request  NAME  REQUESTER    la_objsearch: a name that is not loaded yet is requested
//   S  STAGE    PATH  REQUESTER    la_objsearch: one candidate for it
//   O  PATH                        la_objopen: a new object of the base namespace
//   C  PATH                        la_objclose
// It must not interfere: no libc (a second one would be searched for and loaded), so it makes system calls
// itself. docs: rtld-audit(7).
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __GLIBC__  // elsewhere there is nothing to audit

#include "run/witness/search_stage.h"

enum {
  kEventDescriptor = 9,
  kSysWrite =
#if defined(__x86_64__)
      1
#elif defined(__aarch64__)
      64
#else
#error "add the number of write(2) and the system call of this machine"
#endif
};

static void Write(const char* data, size_t size) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"((long)kSysWrite), "D"((long)kEventDescriptor), "S"(data), "d"(size)
                   : "rcx", "r11", "memory");
  (void)result;
#elif defined(__aarch64__)
  register long x0 __asm__("x0") = kEventDescriptor;
  register const char* x1 __asm__("x1") = data;
  register size_t x2 __asm__("x2") = size;
  register long x8 __asm__("x8") = kSysWrite;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
#endif
}

struct Line {
  char text[8192];
  size_t size;
};

static void Put(struct Line* line, const char* text) {
  for (; text != NULL && *text != '\0' && line->size < sizeof line->text - 1; ++text)
    line->text[line->size++] = *text;
}

unsigned int la_version(unsigned int version) { return version < LAV_CURRENT ? version : LAV_CURRENT; }

char* la_objsearch(const char* name, uintptr_t* cookie, unsigned int flag) {
  // The cookie of an object is its link map until somebody changes it.
  const struct link_map* requester = (const struct link_map*)*cookie;
  struct Line line;
  line.size = 0;
  Put(&line, "S\t");
  Put(&line, SearchStage(requester, flag));
  Put(&line, "\t");
  Put(&line, name);
  Put(&line, "\t");
  Put(&line, requester->l_name);
  Put(&line, "\n");
  Write(line.text, line.size);
  return (char*)name;
}

static void Say(const char* kind, const char* path) {
  struct Line line;
  line.size = 0;
  Put(&line, kind);
  Put(&line, path);
  Put(&line, "\n");
  Write(line.text, line.size);
}

unsigned int la_objopen(struct link_map* map, Lmid_t lmid, uintptr_t* cookie) {
  (void)cookie;
  if (lmid == LM_ID_BASE) Say("O\t", map->l_name);
  return 0;
}

unsigned int la_objclose(uintptr_t* cookie) {
  Say("C\t", ((const struct link_map*)*cookie)->l_name);
  return 0;
}

#endif  // __GLIBC__
