// Environment markers of requirements (PEP 508): does `platform_system == "Linux" and python_version <
// "3.15"` hold for an environment? A marker that depends on an unknown fact is undecided.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace culprit::base {

struct MarkerFacts {
  std::string python;              // "3.12"; "" unknown
  std::string cpu;                 // "x86_64", "aarch64", on Windows too; "" unknown
  bool windows = false;            // otherwise Linux
  std::set<std::string> extras{};  // normalised
};

// nullopt: unknown or cannot be parsed. An empty marker holds.
std::optional<bool> Holds(std::string_view marker, const MarkerFacts& facts);

}  // namespace culprit::base
