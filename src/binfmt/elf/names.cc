// Names of ELF machines.
#include <algorithm>
#include <array>
#include <utility>

#include "binfmt/elf/constants.h"
#include "binfmt/elf/elf.h"

namespace culprit::binfmt {
namespace {

// Machines that CUDA software is built for, and those whose libraries turn up by mistake.
constexpr std::array<std::pair<uint16_t, std::string_view>, 16> kMachines = {{
    {EM_SPARC, "sparc"},
    {EM_386, "386"},
    {EM_68K, "m68k"},
    {EM_MIPS, "mips"},
    {EM_PPC, "powerpc"},
    {EM_PPC64, "powerpc64"},
    {EM_S390, "s390"},
    {EM_ARM, "arm"},
    {EM_SPARCV9, "sparcv9"},
    {EM_IA_64, "ia-64"},
    {EM_X86_64, "x86-64"},
    {EM_AARCH64, "aarch64"},
    {EM_CUDA, "cuda"},
    {EM_RISCV, "riscv"},
    {EM_BPF, "bpf"},
    {EM_LOONGARCH, "loongarch"},
}};

}  // namespace

std::string MachineName(uint16_t machine) {
  const auto row = std::ranges::find(kMachines, machine, &std::pair<uint16_t, std::string_view>::first);
  return row == kMachines.end() ? "machine " + std::to_string(machine) : std::string(row->second);
}

}  // namespace culprit::binfmt
