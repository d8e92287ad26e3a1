// Turns a template that the real linker made (library.c, program.c) into the library or program that a tree
// needs, in memory and in microseconds: the dynamic section is rewritten with any names, run paths, flags and
// symbol versions, including combinations that no linker would write (RPATH and RUNPATH in one file). The
// templates have spare entries for this (--spare-dynamic-tags) and spare space for strings (a long run path
// of 'X').
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace culprit::gold {

struct Stamp {
  struct Request {
    int64_t tag;  // DT_NEEDED, DT_AUXILIARY or DT_FILTER
    std::string name;
  };
  struct VersionNeed {
    std::string file;
    std::vector<std::string> versions;
    bool weak = false;
  };
  std::optional<std::string> soname, rpath, runpath;
  std::vector<Request> requests;  // in this order
  uint64_t flags_1 = 0;           // in addition to those of the template
  std::vector<VersionNeed> version_needs;
  std::vector<std::string> version_defs;  // empty = no DT_VERDEF
  bool decoys = false;                    // an earlier SONAME, RPATH and RUNPATH, which later ones replace
  bool relr = false;                      // an empty DT_RELR, which asks for the version GLIBC_ABI_DT_RELR
};

// Throws std::runtime_error if the template has too little room.
std::string Stamped(const std::string& elf_template, const Stamp& stamp);

// Faults that no linker produces. Each takes a valid file.
enum class Fault {
  kNone,
  kEmpty,
  kShort,  // less than an ELF header
  kText,
  kOtherClass,
  kOtherMachine,
  kOtherByteOrder,
  kHeadersCut,  // the program headers are cut off
  kBodyCut,     // the page with the dynamic section is cut off
  kIdentVersion,
  kOsAbi,
  kOsAbiGnu,  // not a fault: glibc accepts it
  kAbiVersion,
  kIdentPadding,
  kVersion,
  kTypeExec,
  kTypeRel,
  kEntrySize,
  kNoLoad,
  kNoDynamic,
  kEmptyDynamic,
  kMisaligned,
  kExecutableStack,  // not a fault before glibc 2.41
  kCount,
};
const char* Name(Fault fault);
std::string WithFault(std::string elf, Fault fault);

}  // namespace culprit::gold
