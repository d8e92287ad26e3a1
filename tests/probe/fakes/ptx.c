// Parses the text once into instructions with numbered registers, then executes them for each thread. All
// registers are 64 bits wide and hold the bits of whatever type the instruction names. Unknown code is
// rejected when it is loaded, never guessed.
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostInstructions = 256, kMostRegisters = 128, kMostParameters = 8, kMostSteps = 100000 };

enum operand_kind { kNone, kRegister, kValue, kSpecial, kParameter, kLabel };
struct operand {
  enum operand_kind kind;
  int index;       // register, parameter, special (0 tid, 1 ntid, 2 ctaid, 3 nctaid), instruction of a label
  uint64_t value;  // of kValue; what is added to an address
  char name[48];   // of kLabel
};
enum opcode {
  kLd,
  kSt,
  kMov,
  kAdd,
  kSub,
  kMul,
  kWide,
  kMad,
  kSetp,
  kShl,
  kShr,
  kAnd,
  kOr,
  kXor,
  kCvt,
  kBra,
  kRet
};
struct instruction {
  enum opcode opcode;
  int bytes;       // of its type
  char type;       // of its type: 'u', 's', 'f' or 'b'
  char from_type;  // cvt
  int from_bytes;
  int global;           // ld, st: not .param
  char comparison[4];   // setp
  int guard, inverted;  // register of @%p, or -1
  struct operand operands[4];
};
struct ptx_function {
  char name[64];
  int parameter_count, instruction_count, register_count, label_count;
  char parameters[kMostParameters][64];
  int parameter_bytes[kMostParameters];
  char registers[kMostRegisters][24];
  struct {
    char name[48];
    int at;
  } labels[32];
  struct instruction instructions[kMostInstructions];
};
struct ptx_module {
  int count;
  struct ptx_function functions[4];
};

// "f32" -> 'f', 4; 0 if it is not a type.
static int ReadType(const char* word, char* type, int* bytes) {
  if (strcmp(word, "pred") == 0) {
    *type = 'b';
    *bytes = 1;
    return 1;
  }
  const int bits = atoi(word + 1);
  if (strchr("usfb", word[0]) == NULL || (bits != 8 && bits != 16 && bits != 32 && bits != 64)) return 0;
  *type = word[0];
  *bytes = bits / 8;
  return 1;
}

static int RegisterNamed(struct ptx_function* function, const char* name) {
  for (int i = 0; i < function->register_count; ++i)
    if (strcmp(function->registers[i], name) == 0) return i;
  if (function->register_count == kMostRegisters || strlen(name) >= sizeof function->registers[0]) return -1;
  strcpy(function->registers[function->register_count], name);
  return function->register_count++;
}

static int ReadOperand(struct ptx_function* function, char* text, struct operand* operand) {
  static const char* specials[] = {"%tid.x", "%ntid.x", "%ctaid.x", "%nctaid.x"};
  memset(operand, 0, sizeof *operand);
  size_t length = strlen(text);
  if (length > 1 && text[0] == '[' && text[length - 1] == ']') {
    text[length - 1] = 0;
    ++text;
    char* plus = strchr(text, '+');
    if (plus != NULL) {
      *plus = 0;
      operand->value = strtoull(plus + 1, NULL, 0);
    }
  }
  for (int i = 0; i < 4; ++i) {
    if (strcmp(text, specials[i]) != 0) continue;
    operand->kind = kSpecial;
    operand->index = i;
    return 1;
  }
  if (text[0] == '%') {
    operand->kind = kRegister;
    operand->index = RegisterNamed(function, text);
    return operand->index >= 0;
  }
  for (int i = 0; i < function->parameter_count; ++i) {
    if (strcmp(text, function->parameters[i]) != 0) continue;
    operand->kind = kParameter;
    operand->index = i;
    return 1;
  }
  if (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) {
    operand->kind = kValue;
    if (strncmp(text, "0f", 2) == 0 || strncmp(text, "0F", 2) == 0)
      operand->value = strtoull(text + 2, NULL, 16);
    else
      operand->value = text[0] == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
    return 1;
  }
  operand->kind = kLabel;
  snprintf(operand->name, sizeof operand->name, "%.47s", text);
  return length > 0;
}

// Splits "ld.param.u64" into its words; the last ones are types.
static int ReadOpcode(char* text, struct instruction* instruction) {
  char* words[8];
  int count = 0;
  for (char* word = strtok(text, "."); word != NULL && count < 8; word = strtok(NULL, "."))
    words[count++] = word;
  if (count == 0) return 0;
  const char* name = words[0];
  static const struct {
    const char* name;
    enum opcode opcode;
  } names[] = {{"ld", kLd},   {"st", kSt},   {"mov", kMov}, {"cvta", kMov}, {"add", kAdd},
               {"sub", kSub}, {"mul", kMul}, {"mad", kMad}, {"fma", kMad},  {"setp", kSetp},
               {"shl", kShl}, {"shr", kShr}, {"and", kAnd}, {"or", kOr},    {"xor", kXor},
               {"cvt", kCvt}, {"bra", kBra}, {"ret", kRet}, {"exit", kRet}};
  int known = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (strcmp(name, names[i].name) != 0) continue;
    instruction->opcode = names[i].opcode;
    known = 1;
  }
  if (!known) return 0;
  if (instruction->opcode == kBra || instruction->opcode == kRet) return 1;
  int typed = 0;
  for (int i = 1; i < count; ++i) {
    char type;
    int bytes;
    if (ReadType(words[i], &type, &bytes)) {
      if (typed) {
        instruction->from_type = type;
        instruction->from_bytes = bytes;
      } else {
        instruction->type = type;
        instruction->bytes = bytes;
      }
      typed = 1;
    } else if (strcmp(words[i], "global") == 0) {
      instruction->global = 1;
    } else if (strcmp(words[i], "wide") == 0) {
      if (instruction->opcode != kMul) return 0;
      instruction->opcode = kWide;
    } else if (instruction->opcode == kSetp && strlen(words[i]) == 2) {
      strcpy(instruction->comparison, words[i]);
    } else if (strcmp(words[i], "param") != 0 && strcmp(words[i], "lo") != 0 && strcmp(words[i], "rn") != 0 &&
               strcmp(words[i], "to") != 0) {
      return 0;
    }
  }
  return typed;
}

static int ReadStatement(struct ptx_function* function, char* text) {
  while (*text == ' ') ++text;
  char* colon;
  while ((colon = strchr(text, ':')) != NULL) {
    *colon = 0;
    if (function->label_count == 32) return 0;
    snprintf(function->labels[function->label_count].name, 48, "%.47s", text);
    function->labels[function->label_count++].at = function->instruction_count;
    text = colon + 1;
    while (*text == ' ') ++text;
  }
  if (*text == 0 || *text == '.') return 1;  // nothing, or ".reg ..."
  if (function->instruction_count == kMostInstructions) return 0;
  struct instruction* instruction = &function->instructions[function->instruction_count];
  memset(instruction, 0, sizeof *instruction);
  instruction->guard = -1;
  if (*text == '@') {
    ++text;
    instruction->inverted = *text == '!';
    text += instruction->inverted;
    char* space = strchr(text, ' ');
    if (space == NULL) return 0;
    *space = 0;
    instruction->guard = RegisterNamed(function, text);
    if (instruction->guard < 0) return 0;
    text = space + 1;
    while (*text == ' ') ++text;
  }
  char* rest = strchr(text, ' ');
  char none[] = "";
  if (rest != NULL)
    *rest++ = 0;
  else
    rest = none;
  if (!ReadOpcode(text, instruction)) return 0;
  char compact[256];
  size_t length = 0;
  for (; *rest != 0 && length + 1 < sizeof compact; ++rest)
    if (*rest != ' ') compact[length++] = *rest;
  compact[length] = 0;
  int count = 0;
  for (char* word = strtok(compact, ","); word != NULL; word = strtok(NULL, ","))
    if (count == 4 || !ReadOperand(function, word, &instruction->operands[count++])) return 0;
  ++function->instruction_count;
  return 1;
}

// The parameters between the parentheses: ".param .u64 name".
static int ReadParameters(struct ptx_function* function, char* text) {
  for (char* piece = strtok(text, ","); piece != NULL; piece = strtok(NULL, ",")) {
    char type_word[16], name[64], type;
    int bytes;
    if (function->parameter_count == kMostParameters) return 0;
    if (sscanf(piece, " .param .%15s %63s", type_word, name) != 2 || !ReadType(type_word, &type, &bytes))
      return 0;
    strcpy(function->parameters[function->parameter_count], name);
    function->parameter_bytes[function->parameter_count++] = bytes;
  }
  return 1;
}

static int ReadFunction(struct ptx_function* function, char* name_and_parameters, char* body) {
  char* open = strchr(name_and_parameters, '(');
  if (open == NULL) return 0;
  *open++ = 0;
  char* close = strchr(open, ')');
  if (close == NULL || sscanf(name_and_parameters, " %63s", function->name) != 1) return 0;
  *close = 0;
  if (!ReadParameters(function, open)) return 0;
  while (*body != 0) {
    char* end = strchr(body, ';');
    if (end == NULL) end = body + strlen(body);
    const int more = *end != 0;
    *end = 0;
    char statement[256];
    if (strlen(body) >= sizeof statement) return 0;
    strcpy(statement, body);
    if (!ReadStatement(function, statement)) return 0;
    body = end + more;
  }
  for (int i = 0; i < function->instruction_count; ++i) {
    for (int o = 0; o < 4; ++o) {
      struct operand* operand = &function->instructions[i].operands[o];
      int found = operand->kind != kLabel;
      for (int l = 0; l < function->label_count && !found; ++l) {
        if (strcmp(function->labels[l].name, operand->name) != 0) continue;
        operand->index = function->labels[l].at;
        found = 1;
      }
      if (!found) return 0;
    }
  }
  return function->instruction_count > 0;
}

enum ptx_loaded ptx_load(const char* image, struct ptx_module** module) {
  const size_t size = image == NULL ? 0 : strlen(image);
  char* text = malloc(size + 1);
  size_t length = 0;
  for (size_t i = 0; i < size; ++i) {  // without comments and with spaces only
    if (image[i] == '/' && image[i + 1] == '/') {
      while (i < size && image[i] != '\n') ++i;
    } else if (image[i] == '/' && image[i + 1] == '*') {
      const char* end = strstr(image + i, "*/");
      i = end == NULL ? size : (size_t)(end - image) + 1;
      continue;
    }
    text[length++] = strchr("\n\t\r", image[i]) != NULL ? ' ' : image[i];
  }
  text[length] = 0;
  if (strstr(text, ".version") == NULL || strstr(text, ".target") == NULL) {
    free(text);
    return kPtxNoText;
  }
  struct ptx_module* made = calloc(1, sizeof *made);
  int good = 1;
  for (char* at = strstr(text, ".entry "); at != NULL && good;) {
    char *body = strchr(at, '{'), *end = body == NULL ? NULL : strchr(body, '}');
    if (end == NULL || made->count == 4) {
      good = 0;
      break;
    }
    *body = *end = 0;
    char* next = strstr(end + 1, ".entry ");
    good = ReadFunction(&made->functions[made->count++], at + strlen(".entry "), body + 1);
    at = next;
  }
  free(text);
  if (!good || made->count == 0) {
    free(made);
    return kPtxNotUnderstood;
  }
  *module = made;
  return kPtxLoaded;
}

void ptx_unload(struct ptx_module* module) { free(module); }

struct ptx_function* ptx_find(struct ptx_module* module, const char* name) {
  for (int i = 0; i < module->count; ++i)
    if (strcmp(module->functions[i].name, name) == 0) return &module->functions[i];
  return NULL;
}

struct thread {
  const struct ptx_function* function;
  unsigned special[4];
  uint64_t registers[kMostRegisters];
  void** parameters;
  int (*on_device)(uint64_t, size_t);
  int wrong;
};

static uint64_t Cut(uint64_t value, int bytes) {
  return bytes >= 8 ? value : value & ((1ull << (8 * bytes)) - 1);
}
static int64_t Signed(uint64_t value, int bytes) {
  const int shift = 64 - 8 * bytes;
  return (int64_t)(value << shift) >> shift;
}
static float Float(uint64_t value) {
  const uint32_t bits = (uint32_t)value;
  float number;
  memcpy(&number, &bits, 4);
  return number;
}
static uint64_t Bits(float number) {
  uint32_t bits;
  memcpy(&bits, &number, 4);
  return bits;
}

static uint64_t Get(const struct thread* thread, const struct operand* operand) {
  switch (operand->kind) {
    case kRegister:
      return thread->registers[operand->index];
    case kSpecial:
      return thread->special[operand->index];
    default:
      return operand->value;
  }
}

static int Compare(const struct instruction* i, uint64_t a, uint64_t b) {
  int order;
  if (i->type == 'f')
    order = Float(a) < Float(b) ? -1 : Float(a) > Float(b);
  else if (i->type == 's')
    order = Signed(a, i->bytes) < Signed(b, i->bytes) ? -1 : Signed(a, i->bytes) > Signed(b, i->bytes);
  else
    order = Cut(a, i->bytes) < Cut(b, i->bytes) ? -1 : Cut(a, i->bytes) > Cut(b, i->bytes);
  const char* c = i->comparison;
  return (strcmp(c, "lt") == 0 && order < 0) || (strcmp(c, "le") == 0 && order <= 0) ||
         (strcmp(c, "gt") == 0 && order > 0) || (strcmp(c, "ge") == 0 && order >= 0) ||
         (strcmp(c, "eq") == 0 && order == 0) || (strcmp(c, "ne") == 0 && order != 0) ||
         (strcmp(c, "lo") == 0 && order < 0) || (strcmp(c, "ls") == 0 && order <= 0) ||
         (strcmp(c, "hi") == 0 && order > 0) || (strcmp(c, "hs") == 0 && order >= 0);
}

static uint64_t Convert(const struct instruction* i, uint64_t a) {
  if (i->from_bytes == 0) return Cut(a, i->bytes);
  if (i->type == 'f' && i->from_type == 'f') return a;
  if (i->type == 'f')
    return Bits(i->from_type == 's' ? (float)Signed(a, i->from_bytes) : (float)Cut(a, i->from_bytes));
  if (i->from_type == 'f') return Cut((uint64_t)(int64_t)Float(a), i->bytes);
  return Cut(i->from_type == 's' ? (uint64_t)Signed(a, i->from_bytes) : Cut(a, i->from_bytes), i->bytes);
}

// The result of an instruction for its operands.
static uint64_t Compute(const struct instruction* i, uint64_t a, uint64_t b, uint64_t c) {
  const int f = i->type == 'f';
  const int wide_signed = i->type == 's';
  switch (i->opcode) {
    case kAdd:
      return f ? Bits(Float(a) + Float(b)) : Cut(a + b, i->bytes);
    case kSub:
      return f ? Bits(Float(a) - Float(b)) : Cut(a - b, i->bytes);
    case kMul:
      return f ? Bits(Float(a) * Float(b)) : Cut(a * b, i->bytes);
    case kWide:
      return wide_signed ? (uint64_t)(Signed(a, i->bytes) * Signed(b, i->bytes))
                         : Cut(a, i->bytes) * Cut(b, i->bytes);
    case kMad:
      return f ? Bits((float)((double)Float(a) * Float(b) + Float(c))) : Cut(a * b + c, i->bytes);
    case kSetp:
      return (uint64_t)Compare(i, a, b);
    case kShl:
      return Cut(a << (b & 63), i->bytes);
    case kShr:
      return i->type == 's' ? Cut((uint64_t)(Signed(a, i->bytes) >> (b & 63)), i->bytes)
                            : Cut(a, i->bytes) >> (b & 63);
    case kAnd:
      return a & b;
    case kOr:
      return a | b;
    case kXor:
      return a ^ b;
    case kCvt:
      return Convert(i, a);
    default:
      return Cut(a, i->bytes);  // mov, cvta
  }
}

static int Memory(struct thread* thread, const struct instruction* i) {
  const struct operand *value = &i->operands[i->opcode == kLd ? 0 : 1],
                       *place = &i->operands[i->opcode == kLd];
  uint64_t loaded = 0;
  if (place->kind == kParameter) {
    if (i->opcode != kLd || value->kind != kRegister) return 0;
    memcpy(&loaded, thread->parameters[place->index],
           (size_t)thread->function->parameter_bytes[place->index]);
    thread->registers[value->index] = Cut(loaded, i->bytes);
    return 1;
  }
  const uint64_t address = thread->registers[place->index] + place->value;
  if (place->kind != kRegister || !i->global || !thread->on_device(address, (size_t)i->bytes)) return 0;
  if (i->opcode == kLd) {
    memcpy(&loaded, (const void*)(uintptr_t)address, (size_t)i->bytes);
    thread->registers[value->index] = loaded;
  } else {
    loaded = Get(thread, value);
    if (thread->wrong) loaded ^= 0x400000;
    memcpy((void*)(uintptr_t)address, &loaded, (size_t)i->bytes);
  }
  return 1;
}

static int RunThread(struct thread* thread) {
  const struct ptx_function* function = thread->function;
  int at = 0;
  for (int steps = 0; steps < kMostSteps; ++steps) {
    if (at >= function->instruction_count) return 1;
    const struct instruction* i = &function->instructions[at++];
    if (i->guard >= 0 && (thread->registers[i->guard] != 0) == i->inverted) continue;
    switch (i->opcode) {
      case kRet:
        return 1;
      case kBra:
        at = i->operands[0].index;
        break;
      case kLd:
      case kSt:
        if (!Memory(thread, i)) return 0;
        break;
      default:
        if (i->operands[0].kind != kRegister) return 0;
        thread->registers[i->operands[0].index] = Compute(
            i, Get(thread, &i->operands[1]), Get(thread, &i->operands[2]), Get(thread, &i->operands[3]));
    }
  }
  return 0;
}

int ptx_run(struct ptx_function* function, unsigned grid, unsigned block, void** parameters,
            int (*on_device)(uint64_t, size_t), int wrong) {
  for (unsigned b = 0; b < grid; ++b) {
    for (unsigned t = 0; t < block; ++t) {
      struct thread thread = {.function = function,
                              .special = {t, block, b, grid},
                              .parameters = parameters,
                              .on_device = on_device,
                              .wrong = wrong && b == grid - 1};
      if (!RunThread(&thread)) return 0;
    }
  }
  return 1;
}
