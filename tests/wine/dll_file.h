// The bytes of a tiny DLL or program: one section with imports, exports, forwarders and, for a program, the
// code "return 0". Deliberately independent of binfmt's own writer: here Wine says whether it is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace culprit::wine {

struct Import {
  std::string dll;
  std::vector<std::string> names;
  std::vector<uint16_t> ordinals;
};

enum class Machine { kX64, k386, kArm64 };

struct DllFile {
  std::string name;
  std::vector<Import> imports;
  std::vector<Import> delay_imports;
  std::vector<std::string> exports;                             // ordinals 1, 2 ... by name
  std::vector<std::pair<std::string, std::string>> forwarders;  // {"f", "other.g"}
  Machine machine = Machine::kX64;
  bool program = false;
};

// Long enough that cutting it in half removes more than the sector that Wine tolerates.
std::string Bytes(const DllFile& file);

}  // namespace culprit::wine
