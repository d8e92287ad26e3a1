// Breaks a good ELF file in one way; see Fault in stamp.h.
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "stamp.h"

namespace culprit::gold {
namespace {

template <typename Change>
void ForEachSegment(std::string& elf, Change change) {
  ElfW(Ehdr) header;
  std::memcpy(&header, elf.data(), sizeof header);
  for (size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) ph;
    char* at = elf.data() + header.e_phoff + i * sizeof ph;
    std::memcpy(&ph, at, sizeof ph);
    change(ph);
    std::memcpy(at, &ph, sizeof ph);
  }
}

}  // namespace

const char* Name(Fault fault) {
  static constexpr const char* kNames[] = {"good",
                                           "empty",
                                           "short",
                                           "text",
                                           "other class",
                                           "other machine",
                                           "other byte order",
                                           "headers cut",
                                           "body cut",
                                           "ident version",
                                           "os abi",
                                           "os abi gnu",
                                           "abi version",
                                           "ident padding",
                                           "version",
                                           "type exec",
                                           "type rel",
                                           "phentsize",
                                           "no load",
                                           "no dynamic",
                                           "empty dynamic",
                                           "misaligned",
                                           "executable stack"};
  static_assert(sizeof kNames / sizeof *kNames == static_cast<size_t>(Fault::kCount));
  return kNames[static_cast<size_t>(fault)];
}

std::string WithFault(std::string elf, Fault fault) {
  const auto header = [&elf](auto change) {
    ElfW(Ehdr) value;
    std::memcpy(&value, elf.data(), sizeof value);
    change(value);
    std::memcpy(elf.data(), &value, sizeof value);
  };
  switch (fault) {
    case Fault::kNone:
    case Fault::kCount:
      break;
    case Fault::kEmpty:
      return "";
    case Fault::kShort:
      elf.resize(40);
      break;
    case Fault::kText:
      return "version https://git-lfs.github.com/spec/v1\noid "
             "sha256:0000000000000000000000000000000000\nsize 1\n";
    case Fault::kOtherClass:
      header(
          [](auto& h) { h.e_ident[EI_CLASS] = h.e_ident[EI_CLASS] == ELFCLASS64 ? ELFCLASS32 : ELFCLASS64; });
      break;
    case Fault::kOtherMachine:
      header([](auto& h) { h.e_machine = h.e_machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64; });
      break;
    case Fault::kOtherByteOrder:
      header([](auto& h) {
        h.e_ident[EI_DATA] = h.e_ident[EI_DATA] == ELFDATA2LSB ? ELFDATA2MSB : ELFDATA2LSB;
      });
      break;
    case Fault::kHeadersCut:
      elf.resize(sizeof(ElfW(Ehdr)) + 2 * sizeof(ElfW(Phdr)));
      break;
    case Fault::kBodyCut:
      elf.resize(static_cast<size_t>(sysconf(_SC_PAGESIZE)));
      break;
    case Fault::kIdentVersion:
      header([](auto& h) { h.e_ident[EI_VERSION] = 2; });
      break;
    case Fault::kOsAbi:
      header([](auto& h) { h.e_ident[EI_OSABI] = ELFOSABI_FREEBSD; });
      break;
    case Fault::kOsAbiGnu:
      header([](auto& h) { h.e_ident[EI_OSABI] = ELFOSABI_GNU; });
      break;
    case Fault::kAbiVersion:
      header([](auto& h) { h.e_ident[EI_ABIVERSION] = 99; });
      break;
    case Fault::kIdentPadding:
      header([](auto& h) { h.e_ident[EI_PAD + 2] = 1; });
      break;
    case Fault::kVersion:
      header([](auto& h) { h.e_version = 2; });
      break;
    case Fault::kTypeExec:
      header([](auto& h) { h.e_type = ET_EXEC; });
      break;
    case Fault::kTypeRel:
      header([](auto& h) { h.e_type = ET_REL; });
      break;
    case Fault::kEntrySize:
      header([](auto& h) { h.e_phentsize = 32; });
      break;
    case Fault::kNoLoad:
      ForEachSegment(elf, [](auto& ph) { ph.p_type = ph.p_type == PT_LOAD ? PT_NULL : ph.p_type; });
      break;
    case Fault::kNoDynamic:
      ForEachSegment(elf, [](auto& ph) { ph.p_type = ph.p_type == PT_DYNAMIC ? PT_NULL : ph.p_type; });
      break;
    case Fault::kEmptyDynamic:
      ForEachSegment(elf, [](auto& ph) { ph.p_filesz = ph.p_type == PT_DYNAMIC ? 0 : ph.p_filesz; });
      break;
    case Fault::kMisaligned:
      ForEachSegment(elf, [](auto& ph) { ph.p_offset += ph.p_type == PT_LOAD ? 16 : 0; });
      break;
    case Fault::kExecutableStack:
      ForEachSegment(elf, [](auto& ph) { ph.p_flags |= ph.p_type == PT_GNU_STACK ? PF_X : 0; });
      break;
  }
  return elf;
}

}  // namespace culprit::gold
