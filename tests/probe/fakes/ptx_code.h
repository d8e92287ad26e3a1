// A kernel that was read: instructions with numbered registers. All registers are 64 bits wide and hold the
// bits of whatever type the instruction names.
#pragma once

#include "ptx.h"

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
