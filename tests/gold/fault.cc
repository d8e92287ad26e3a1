// Breaks a good ELF file in one way; see Fault in stamp.h.
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <iterator>

#include "stamp.h"

namespace culprit::gold {
namespace {

using Elf = std::string;
using Ehdr = ElfW(Ehdr);
using Phdr = ElfW(Phdr);

void ChangeHeader(Elf& elf, void (*change)(Ehdr&)) {
  Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  change(header);
  std::memcpy(elf.data(), &header, sizeof header);
}

void ChangeSegments(Elf& elf, void (*change)(Phdr&)) {
  Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Phdr ph;
    char* at = elf.data() + header.e_phoff + i * sizeof ph;
    std::memcpy(&ph, at, sizeof ph);
    change(ph);
    std::memcpy(at, &ph, sizeof ph);
  }
}

// The loader ignores a PT_NULL segment.
template <unsigned kType>
void Hide(Phdr& ph) {
  if (ph.p_type == kType) ph.p_type = PT_NULL;
}

constexpr char kText[] =
    "version https://git-lfs.github.com/spec/v1\noid "
    "sha256:0000000000000000000000000000000000\nsize 1\n";

// One row for each Fault, in its order.
constexpr struct {
  const char* name;
  void (*spoil)(Elf&);
} kFaults[] = {
    {"good", [](Elf&) {}},
    {"empty", [](Elf& elf) { elf.clear(); }},
    {"short", [](Elf& elf) { elf.resize(40); }},
    {"text", [](Elf& elf) { elf = kText; }},
    {"other class",
     [](Elf& elf) { ChangeHeader(elf, [](Ehdr& h) { h.e_ident[EI_CLASS] ^= ELFCLASS32 ^ ELFCLASS64; }); }},
    {"other machine",
     [](Elf& elf) {
       ChangeHeader(elf, [](Ehdr& h) { h.e_machine = h.e_machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64; });
     }},
    {"other byte order",
     [](Elf& elf) { ChangeHeader(elf, [](Ehdr& h) { h.e_ident[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB; }); }},
    {"headers cut", [](Elf& elf) { elf.resize(sizeof(Ehdr) + 2 * sizeof(Phdr)); }},
    {"body cut", [](Elf& elf) { elf.resize(static_cast<size_t>(sysconf(_SC_PAGESIZE))); }},
    {"ident version", [](Elf& elf) { ChangeHeader(elf, [](Ehdr& h) { h.e_ident[EI_VERSION] = 2; }); }},
    {"os abi", [](Elf& elf) { ChangeHeader(elf, [](Ehdr& h) { h.e_ident[EI_OSABI] = ELFOSABI_FREEBSD; }); }},
    {"os abi gnu", [](Elf& elf) { ChangeHeader(elf, [](Ehdr& h) { h.e_ident[EI_OSABI] = ELFOSABI_GNU; }); }},
    {"abi version", [](Elf& elf) { ChangeHeader(elf, [](Ehdr& h) { h.e_ident[EI_ABIVERSION] = 99; }); }},
    {"ident padding", [](Elf& elf) { ChangeHeader(elf, [](Ehdr& h) { h.e_ident[EI_PAD + 2] = 1; }); }},
    {"version", [](Elf& elf) { ChangeHeader(elf, [](Ehdr& h) { h.e_version = 2; }); }},
    {"type exec", [](Elf& elf) { ChangeHeader(elf, [](Ehdr& h) { h.e_type = ET_EXEC; }); }},
    {"type rel", [](Elf& elf) { ChangeHeader(elf, [](Ehdr& h) { h.e_type = ET_REL; }); }},
    {"phentsize", [](Elf& elf) { ChangeHeader(elf, [](Ehdr& h) { h.e_phentsize = 32; }); }},
    {"no load", [](Elf& elf) { ChangeSegments(elf, Hide<PT_LOAD>); }},
    {"no dynamic", [](Elf& elf) { ChangeSegments(elf, Hide<PT_DYNAMIC>); }},
    {"empty dynamic",
     [](Elf& elf) {
       ChangeSegments(elf, [](Phdr& ph) { ph.p_filesz = ph.p_type == PT_DYNAMIC ? 0 : ph.p_filesz; });
     }},
    {"misaligned",
     [](Elf& elf) { ChangeSegments(elf, [](Phdr& ph) { ph.p_offset += ph.p_type == PT_LOAD ? 16 : 0; }); }},
    {"executable stack",
     [](Elf& elf) {
       ChangeSegments(elf, [](Phdr& ph) { ph.p_flags |= ph.p_type == PT_GNU_STACK ? PF_X : 0; });
     }},
};
static_assert(std::size(kFaults) == static_cast<size_t>(Fault::kCount));

}  // namespace

const char* Name(Fault fault) { return kFaults[static_cast<size_t>(fault)].name; }

std::string WithFault(std::string elf, Fault fault) {
  kFaults[static_cast<size_t>(fault)].spoil(elf);
  return elf;
}

}  // namespace culprit::gold
