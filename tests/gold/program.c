// The template of every program in a generated tree (stamp.h). Each argument is one dlopen: "-NAME" from the
// program itself, or "K:NAME" from the K-th library of the tree that is loaded at that time (K modulo their
// number; if there are none, the program calls). Results go to descriptor 9, between the lines of audit.c:
//   D  CALLER  NAME      about to call; CALLER is empty for the program
//   R  ok      PATH      the handle's path          R  error  TEXT
//   L  PATH              at the end: the list of loaded objects, in the order of the link map
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marker.h"

extern ElfW(Dyn) _DYNAMIC[];
typedef void* (*CallDlopen)(void* (*)(const char*, int), const char*, int);

static struct link_map* FirstObject(void) {
  for (const ElfW(Dyn)* d = _DYNAMIC; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_DEBUG) return ((struct r_debug*)d->d_un.d_ptr)->r_map;
  return NULL;
}

// Offset of CallDlopen in a library of the tree, 0 for anything else.
static ElfW(Addr) CodeOffset(const struct link_map* map) {
  for (const ElfW(Dyn)* d = map->l_ld; d != NULL && d->d_tag != DT_NULL; ++d)
    if (d->d_tag == GOLD_CODE_TAG) return d->d_un.d_val;
  return 0;
}

static const struct link_map* PickLibrary(long wanted) {
  long count = 0;
  for (const struct link_map* map = FirstObject(); map != NULL; map = map->l_next)
    count += CodeOffset(map) != 0;
  if (count == 0) return NULL;
  for (const struct link_map* map = FirstObject(); map != NULL; map = map->l_next)
    if (CodeOffset(map) != 0 && wanted-- % count == 0) return map;
  return NULL;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const char* colon = strchr(argv[i], ':');
    const int own = argv[i][0] == '-';
    const struct link_map* caller = own || colon == NULL ? NULL : PickLibrary(atol(argv[i]) % 1000);
    const char* name = own || colon == NULL ? argv[i] + 1 : colon + 1;
    dprintf(9, "D\t%s\t%s\n", caller != NULL ? caller->l_name : "", name);
    void* handle;
    if (caller != NULL) {
      CallDlopen call = (CallDlopen)(caller->l_addr + CodeOffset(caller));
      handle = call(dlopen, name, RTLD_NOW);
    } else {
      handle = dlopen(name, RTLD_NOW);
    }
    if (handle != NULL)
      dprintf(9, "R\tok\t%s\n", ((struct link_map*)handle)->l_name);
    else
      dprintf(9, "R\terror\t%s\n", dlerror());
  }
  for (const struct link_map* map = FirstObject(); map != NULL; map = map->l_next)
    dprintf(9, "L\t%s\n", map->l_name);
  return 0;
}
