// The ELF numbers that culprit uses, under their names in the System V ABI and its GNU supplement; Windows
// has no <elf.h>. Do not include this together with <elf.h>, where these names are macros.
#pragma once

#include <cstdint>

namespace culprit {

// NOLINTBEGIN(readability-identifier-naming): names of the ABI
inline constexpr char ELFMAG[] = "\177ELF";
inline constexpr int SELFMAG = 4;
inline constexpr int EI_CLASS = 4, EI_DATA = 5, EI_VERSION = 6, EI_OSABI = 7, EI_ABIVERSION = 8, EI_PAD = 9;
inline constexpr int ELFCLASS32 = 1, ELFCLASS64 = 2;
inline constexpr int ELFDATA2LSB = 1, ELFDATA2MSB = 2;
inline constexpr int EV_CURRENT = 1;
inline constexpr int ELFOSABI_SYSV = 0, ELFOSABI_GNU = 3;

inline constexpr int ET_REL = 1, ET_EXEC = 2, ET_DYN = 3, ET_CORE = 4;
inline constexpr int EM_NONE = 0, EM_SPARC = 2, EM_386 = 3, EM_68K = 4, EM_MIPS = 8, EM_PPC = 20,
                     EM_PPC64 = 21, EM_S390 = 22, EM_ARM = 40, EM_SPARCV9 = 43, EM_IA_64 = 50, EM_X86_64 = 62,
                     EM_AARCH64 = 183, EM_CUDA = 190, EM_RISCV = 243, EM_BPF = 247, EM_LOONGARCH = 258;

inline constexpr int PT_LOAD = 1, PT_DYNAMIC = 2, PT_INTERP = 3, PT_NOTE = 4, PT_GNU_STACK = 0x6474e551;
inline constexpr int PF_X = 1, PF_W = 2, PF_R = 4;

inline constexpr int SHT_NULL = 0, SHT_PROGBITS = 1, SHT_STRTAB = 3, SHT_NOBITS = 8;
inline constexpr int SHF_ALLOC = 2, SHF_EXECINSTR = 4, SHF_COMPRESSED = 0x800;
inline constexpr int SHN_UNDEF = 0, SHN_XINDEX = 0xffff;

inline constexpr int DT_NULL = 0, DT_NEEDED = 1, DT_PLTRELSZ = 2, DT_HASH = 4, DT_STRTAB = 5, DT_SYMTAB = 6,
                     DT_RELA = 7, DT_RELASZ = 8, DT_RELAENT = 9, DT_STRSZ = 10, DT_SONAME = 14, DT_RPATH = 15,
                     DT_REL = 17, DT_RELSZ = 18, DT_PLTREL = 20, DT_JMPREL = 23, DT_RUNPATH = 29,
                     DT_FLAGS = 30, DT_RELR = 36, DT_GNU_HASH = 0x6ffffef5, DT_FLAGS_1 = 0x6ffffffb,
                     DT_VERDEF = 0x6ffffffc, DT_VERDEFNUM = 0x6ffffffd, DT_VERNEED = 0x6ffffffe,
                     DT_AUXILIARY = 0x7ffffffd, DT_FILTER = 0x7fffffff;
inline constexpr int DF_BIND_NOW = 8;
inline constexpr int DF_1_NOW = 1, DF_1_NOOPEN = 0x40, DF_1_NODEFLIB = 0x800, DF_1_PIE = 0x08000000;
inline constexpr int VER_FLG_BASE = 1, VER_FLG_WEAK = 2;

inline constexpr int STN_UNDEF = 0, STB_LOCAL = 0, STB_WEAK = 2, STT_OBJECT = 1;
inline constexpr int NT_GNU_BUILD_ID = 3;

// Record sizes, by class.
inline constexpr uint64_t ElfHeaderSize(bool is64) { return is64 ? 64 : 52; }
inline constexpr uint64_t ElfProgramHeaderSize(bool is64) { return is64 ? 56 : 32; }
inline constexpr uint64_t ElfSectionHeaderSize(bool is64) { return is64 ? 64 : 40; }
inline constexpr uint64_t ElfDynamicEntrySize(bool is64) { return is64 ? 16 : 8; }
inline constexpr uint64_t ElfSymbolSize(bool is64) { return is64 ? 24 : 16; }
// NOLINTEND(readability-identifier-naming)

}  // namespace culprit
