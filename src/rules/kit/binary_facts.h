// Bitness and CPU of a binary, ELF or PE.
#pragma once

#include <string>

#include "snapshot/file_view.h"

namespace culprit::rules {

inline int BitsOf(const snapshot::FileFacts& facts) {
  if (facts.pe != nullptr) return facts.pe->bits;
  return facts.elf == nullptr ? 0 : facts.elf->bits();
}

inline std::string MachineOf(const snapshot::FileFacts& facts) {
  if (facts.pe != nullptr) return binfmt::PeMachineName(facts.pe->machine);
  return facts.elf == nullptr ? "another CPU" : binfmt::MachineName(facts.elf->machine);
}

}  // namespace culprit::rules
