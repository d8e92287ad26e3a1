// Names of PE facts for people and for JSON.
#include <algorithm>
#include <array>
#include <utility>

#include "binfmt/pe/pe.h"

namespace culprit::binfmt {
namespace {

constexpr std::array<std::pair<PeProblem, std::string_view>, 9> kPeProblems = {{
    {PeProblem::kNone, "none"},
    {PeProblem::kEmpty, "empty"},
    {PeProblem::kTooShort, "too-short"},
    {PeProblem::kNotPe, "not-pe"},
    {PeProblem::kBadHeader, "bad-header"},
    {PeProblem::kHeadersCut, "headers-cut"},
    {PeProblem::kSectionsCut, "sections-cut"},
    {PeProblem::kImportsCut, "imports-cut"},
    {PeProblem::kReadFailed, "read-failed"},
}};

}  // namespace

std::string_view Name(PeProblem problem) {
  const auto row = std::ranges::find(kPeProblems, problem, &std::pair<PeProblem, std::string_view>::first);
  return row == kPeProblems.end() ? "read-failed" : row->second;
}

PeProblem PeProblemFromName(std::string_view name) {
  const auto row = std::ranges::find(kPeProblems, name, &std::pair<PeProblem, std::string_view>::second);
  return row == kPeProblems.end() ? PeProblem::kReadFailed : row->first;
}

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
