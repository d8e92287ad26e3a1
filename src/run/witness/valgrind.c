/* A command called valgrind gets no audit library at all (run/watch/reach.cc). Here is the one that a script or a
 * test runner starts. Its launcher is a dynamic program, and hands its environment on to the tool. No libc, so the
 * environment is changed where the kernel put it. */
#include "valgrind.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>

#include "system_calls.h"
#include "tell.h"

static char text[4097];

static int StartsWith(const char* word, const char* start) {
  while (*start != '\0' && *word == *start) ++word, ++start;
  return *start == '\0';
}

static int IsLauncher(void) {
  const long length =
      SystemCall4(__NR_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)text, sizeof text - 1);
  text[length > 0 ? length : 0] = '\0';
  const char* name = text;
  for (const char* at = text; *at != '\0'; ++at)
    if (*at == '/') name = at + 1;
  return StartsWith(name, "valgrind");
}

int LeaveValgrindAlone(void) {
  enum { kEnvironmentBegins = 50, kEnvironmentEnds = 51 }; /* fields of proc(5) */
  if (!IsLauncher()) return 0;
  const size_t size = ReadOwnFile("/proc/self/stat", text, sizeof text - 1);
  size_t at = size;
  while (at > 0 && text[at - 1] != ')') --at; /* the name, field 2, may contain anything */
  uintptr_t begin = 0, end = 0;
  for (int field = 2; at < size; ++at) {
    const uintptr_t digit = (uintptr_t)(text[at] - '0');
    if (text[at] == ' ') ++field;
    else if (field == kEnvironmentBegins) begin = begin * 10 + digit;
    else if (field == kEnvironmentEnds) end = end * 10 + digit;
  }
  for (char* entry = (char*)begin; entry < (char*)end; ++entry) {
    if (StartsWith(entry, "LD_AUDIT=")) *entry = 'X';
    while (entry < (char*)end && *entry != '\0') ++entry;
  }
  return 1;
}
