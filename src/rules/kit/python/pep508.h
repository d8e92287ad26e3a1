// Environment markers of requirements (PEP 508): does `platform_system == "Linux" and python_version <
// "3.15"` hold for an environment? A marker that asks for something that is not known is undecided.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace culprit::rules {

struct MarkerFacts {
  std::string python;              // "3.12"; "" not known
  std::string machine;             // "x86_64"; "" not known
  bool windows = false;            // otherwise Linux
  std::set<std::string> extras{};  // normalised
};

// nullopt: not known or not understood. An empty marker holds.
std::optional<bool> Holds(std::string_view marker, const MarkerFacts& facts);

}  // namespace culprit::rules
