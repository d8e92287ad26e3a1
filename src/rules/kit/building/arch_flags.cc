#include "rules/kit/building/arch_flags.h"

#include "base/text.h"

namespace culprit::rules {
namespace {

// Adds "10.0" for "100a"; nothing if it is no architecture.
void AddCapability(std::string number, std::vector<std::string>& capabilities) {
  while (!number.empty() && (number.back() == 'a' || number.back() == 'f')) number.pop_back();
  if (number.size() < 2 || !base::IsNumber(number)) return;
  capabilities.push_back(number.substr(0, number.size() - 1) + "." + number.back());
}

}  // namespace

std::vector<std::string> CapabilitiesIn(std::string_view word) {
  std::vector<std::string> capabilities;
  for (const std::string& part : base::SplitWords(word, "=,[]\"'")) {
    for (const std::string_view start : {"compute_", "sm_"}) {
      if (part.starts_with(start)) AddCapability(part.substr(start.size()), capabilities);
    }
  }
  return capabilities;
}

std::vector<std::string> CapabilitiesInList(std::string_view list) {
  std::vector<std::string> capabilities;
  for (const std::string& part : base::SplitWords(list, ";,\"' "))
    AddCapability(part.substr(0, part.find('-')), capabilities);
  return capabilities;
}

}  // namespace culprit::rules
