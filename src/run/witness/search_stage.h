/* What la_objsearch says about a candidate, as a word. Shared by our two audit libraries: audit.c, and
 * tests/gold/audit.c. Include <link.h> first, with _GNU_SOURCE. */
#ifndef CULPRIT_WITNESS_SEARCH_STAGE_H_
#define CULPRIT_WITNESS_SEARCH_STAGE_H_

/* RPATH and RUNPATH share a flag; an object that has a RUNPATH is never searched for by an RPATH. */
static const char* SearchStage(const struct link_map* requester, unsigned int flag) {
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

#endif
