// Names of PE machines, and texts of the version resource.
#include <algorithm>
#include <utility>

#include "binfmt/pe/pe.h"

namespace culprit::binfmt {
std::string PeMachineName(uint16_t machine) {
  switch (machine) {
    case kPeMachine386:
      return "386";
    case kPeMachineX64:
      return "x86-64";
    case kPeMachineArm64:
      return "aarch64";
    case kPeMachineArm:
      return "arm";
    default:
      break;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string digits;
  for (int shift = 12; shift >= 0; shift -= 4) digits += kHex[(machine >> shift) & 15];
  return "machine 0x" + digits;
}

std::string_view PeVersionInfo::String(std::string_view key) const {
  const auto row = std::ranges::find(strings, key, &std::pair<std::string, std::string>::first);
  return row == strings.end() ? std::string_view() : row->second;
}

}  // namespace culprit::binfmt
