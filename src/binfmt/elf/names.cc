// Names of ELF facts for people and for JSON.
#include <algorithm>
#include <array>
#include <utility>

#include "binfmt/elf/constants.h"
#include "binfmt/elf/elf.h"

namespace culprit::binfmt {
namespace {

constexpr std::array<std::pair<ElfProblem, std::string_view>, 8> kElfProblems = {{
    {ElfProblem::kNone, "none"},
    {ElfProblem::kTooShort, "too-short"},
    {ElfProblem::kNotElf, "not-elf"},
    {ElfProblem::kBadHeader, "bad-header"},
    {ElfProblem::kHeadersCut, "headers-cut"},
    {ElfProblem::kNoDynamic, "no-dynamic"},
    {ElfProblem::kDynamicCut, "dynamic-cut"},
    {ElfProblem::kReadFailed, "read-failed"},
}};

// The machines that CUDA and related software is built for, and others whose libraries turn up by mistake.
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

std::string_view Name(ElfProblem problem) {
  const auto row = std::ranges::find(kElfProblems, problem, &std::pair<ElfProblem, std::string_view>::first);
  return row == kElfProblems.end() ? "read-failed" : row->second;
}

ElfProblem ElfProblemFromName(std::string_view name) {
  const auto row = std::ranges::find(kElfProblems, name, &std::pair<ElfProblem, std::string_view>::second);
  return row == kElfProblems.end() ? ElfProblem::kReadFailed : row->first;
}

std::string MachineName(uint16_t machine) {
  const auto row = std::ranges::find(kMachines, machine, &std::pair<uint16_t, std::string_view>::first);
  return row == kMachines.end() ? "machine " + std::to_string(machine) : std::string(row->second);
}

}  // namespace culprit::binfmt
