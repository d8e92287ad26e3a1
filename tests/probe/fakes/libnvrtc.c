// An NVRTC that knows one program: a kernel on one unsigned array with words[i] * factor + addend + i. Anything
// else is a compile error with a log, as is a word that is not C. Opens its builtins by name like the
// real one, which has no RUNPATH.
#include <dlfcn.h>

#include "misbehave.h"

enum { kInvalidInput = 3, kCompilation = 6, kBuiltins = 7 };

struct program {
  char* source;
  char name[64];
  char log[256];
  char code[2048];
};

static const char pattern[] =
    ".version 8.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry %s(.param .u64 p0, .param .u32 p1, .param .u32 p2, .param .u32 p3)\n{\n"
    ".reg .pred %%p<2>; .reg .b32 %%r<10>; .reg .b64 %%rd<5>;\n"
    "ld.param.u64 %%rd1, [p0];\nld.param.u32 %%r1, [p1];\nld.param.u32 %%r2, [p2];\nld.param.u32 %%r3, "
    "[p3];\n"
    "mov.u32 %%r4, %%ctaid.x;\nmov.u32 %%r5, %%ntid.x;\nmov.u32 %%r6, %%tid.x;\n"
    "mad.lo.s32 %%r7, %%r4, %%r5, %%r6;\nsetp.ge.u32 %%p1, %%r7, %%r1;\n@%%p1 bra $L__BB0_2;\n"
    "cvta.to.global.u64 %%rd2, %%rd1;\nmul.wide.u32 %%rd3, %%r7, 4;\nadd.s64 %%rd4, %%rd2, %%rd3;\n"
    "ld.global.u32 %%r8, [%%rd4];\nmad.lo.s32 %%r9, %%r8, %%r2, %%r3;\nadd.s32 %%r9, %%r9, %%r7;\n"
    "st.global.u32 [%%rd4], %%r9;\n$L__BB0_2:\nret;\n}\n";

EXPORT int nvrtcVersion(int* major, int* minor) {
  MISBEHAVE();
  *major = 13;
  *minor = 0;
  return 0;
}
EXPORT int nvrtcGetNumSupportedArchs(int* count) {
  MISBEHAVE();
  *count = 2;
  return 0;
}
EXPORT int nvrtcGetSupportedArchs(int* archs) {
  MISBEHAVE();
  archs[0] = 75;
  archs[1] = 90;
  return 0;
}
EXPORT int nvrtcCreateProgram(struct program** made, const char* source, const char* name, int headers,
                              const char* const* texts, const char* const* names) {
  MISBEHAVE();
  (void)name;
  (void)texts;
  (void)names;
  if (made == NULL || source == NULL || headers < 0) return kInvalidInput;
  *made = calloc(1, sizeof **made);
  (*made)->source = malloc(strlen(source) + 1);
  size_t length = 0;
  for (; *source != 0; ++source)  // the white space between words does not count
    if (strchr(" \t\n", *source) == NULL) (*made)->source[length++] = *source;
  (*made)->source[length] = 0;
  return 0;
}
EXPORT int nvrtcDestroyProgram(struct program** program) {
  MISBEHAVE();
  free((*program)->source);
  free(*program);
  *program = NULL;
  return 0;
}
EXPORT int nvrtcCompileProgram(struct program* program, int count, const char* const* options) {
  MISBEHAVE();
  (void)count;
  (void)options;
  if (dlopen("libnvrtc-builtins.so.13.0", RTLD_NOW) == NULL) {
    snprintf(program->log, sizeof program->log, "nvrtc: error: failed to open libnvrtc-builtins.so.13.0.\n");
    return kBuiltins;
  }
  static const char begin[] = "extern\"C\"__global__void";
  const char* at = strstr(program->source, begin);
  const size_t length = at == NULL ? 0 : strcspn(at + sizeof begin - 1, "(");
  if (at == NULL || length == 0 || length >= sizeof program->name ||
      strstr(at, "blockIdx.x*blockDim.x+threadIdx.x;if(i<count)words[i]=words[i]*factor+addend+i;}") ==
          NULL) {
    snprintf(program->log, sizeof program->log,
             "fake.cu(1): error: a program that this library does not know\n");
    return kCompilation;
  }
  memcpy(program->name, at + sizeof begin - 1, length);
  snprintf(program->code, sizeof program->code, pattern, program->name);
  if (WRONG()) memcpy(strstr(program->code, "add.s32"), "sub.s32", 7);
  return 0;
}
EXPORT int nvrtcGetPTXSize(struct program* program, size_t* size) {
  MISBEHAVE();
  *size = strlen(program->code) + 1;
  return 0;
}
EXPORT int nvrtcGetPTX(struct program* program, char* code) {
  MISBEHAVE();
  strcpy(code, program->code);
  return 0;
}
EXPORT int nvrtcGetCUBINSize(struct program* program, size_t* size) {
  MISBEHAVE();
  *size = strlen(program->code) + 1;
  return 0;
}
EXPORT int nvrtcGetCUBIN(struct program* program, char* code) {
  MISBEHAVE();
  strcpy(code, program->code);
  return 0;
}
EXPORT int nvrtcGetProgramLogSize(struct program* program, size_t* size) {
  MISBEHAVE();
  *size = strlen(program->log) + 1;
  return 0;
}
EXPORT int nvrtcGetProgramLog(struct program* program, char* log) {
  MISBEHAVE();
  strcpy(log, program->log);
  return 0;
}
EXPORT const char* nvrtcGetErrorString(int status) {
  switch (status) {
    case 0:
      return "NVRTC_SUCCESS";
    case 3:
      return "NVRTC_ERROR_INVALID_INPUT";
    case 5:
      return "NVRTC_ERROR_INVALID_OPTION";
    case 6:
      return "NVRTC_ERROR_COMPILATION";
    case 7:
      return "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE";
    default:
      return "NVRTC_ERROR unknown";
  }
}
