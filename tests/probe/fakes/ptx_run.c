// Runs the instructions of a kernel, one thread after the other.
#include <string.h>

#include "ptx_code.h"

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

// What an instruction with a result makes of its operands.
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
