// Stand-ins for code that libraries bring along and culprit never needs, for the static program: the linker takes these and
// leaves the real ones in their archives. 147 kB for x86-64.
// - libsolv can search package metadata by regular expressions (repodata.c). plan does not, and libsolv treats the error as "no match".
// - Debian's libzstd reads the formats from before zstd 0.8 (2016). Such a frame is now an error, as for a libzstd built without them.
#include <regex.h>
#include <stddef.h>

int regcomp(regex_t* compiled, const char* pattern, int flags) {
  (void)compiled, (void)pattern, (void)flags;
  return REG_ESPACE;
}

int regexec(const regex_t* compiled, const char* text, size_t count, regmatch_t matches[restrict count], int flags) {
  (void)compiled, (void)text, (void)count, (void)matches, (void)flags;
  return REG_NOMATCH;
}

void regfree(regex_t* compiled) { (void)compiled; }

// What zstd_decompress.c of libzstd 1.4 and 1.5 calls. Without a context it stops, so the others are never reached.
#define OLD_FORMAT(version)                                                                                             \
  void* ZSTDv##version##_createDCtx(void);                                                                              \
  void* ZSTDv##version##_createDCtx(void) { return NULL; }                                                              \
  size_t ZSTDv##version##_freeDCtx(void* context);                                                                      \
  size_t ZSTDv##version##_freeDCtx(void* context) { return (void)context, (size_t)0; }                                  \
  size_t ZSTDv##version##_decompress_usingDict(void);                                                                   \
  size_t ZSTDv##version##_decompress_usingDict(void) { return kError; }                                                 \
  size_t ZSTDv##version##_getFrameParams(void);                                                                         \
  size_t ZSTDv##version##_getFrameParams(void) { return kError; }                                                       \
  void ZSTDv##version##_findFrameSizeInfoLegacy(const void* in, size_t size, size_t* packed, unsigned long long* most); \
  void ZSTDv##version##_findFrameSizeInfoLegacy(const void* in, size_t size, size_t* packed, unsigned long long* most) {\
    (void)in, (void)size;                                                                                               \
    *packed = kError;                                                                                                   \
    *most = 0ULL - 2; /* ZSTD_CONTENTSIZE_ERROR */                                                                      \
  }                                                                                                                     \
  void* ZBUFFv##version##_createDCtx(void);                                                                             \
  void* ZBUFFv##version##_createDCtx(void) { return NULL; }                                                             \
  size_t ZBUFFv##version##_freeDCtx(void* context);                                                                     \
  size_t ZBUFFv##version##_freeDCtx(void* context) { return (void)context, (size_t)0; }                                 \
  size_t ZBUFFv##version##_decompressInitDictionary(void);                                                              \
  size_t ZBUFFv##version##_decompressInitDictionary(void) { return kError; }                                            \
  size_t ZBUFFv##version##_decompressContinue(void);                                                                    \
  size_t ZBUFFv##version##_decompressContinue(void) { return kError; }

static const size_t kError = (size_t)-1;  // ZSTD_error_GENERIC
OLD_FORMAT(05)
OLD_FORMAT(06)
OLD_FORMAT(07)
