// Versions and version specifiers of Python packages (PEP 440): does an installed version meet "==9.1.0.70",
// ">=2,<3", "~=3.9.0"?
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::base {

struct PythonVersion {
  uint64_t epoch = 0;
  std::vector<uint64_t> release;  // never empty
  // The pre-release: 'a', 'b', 'c' (rc), and its number.
  std::optional<std::pair<char, uint64_t>> pre;
  std::optional<uint64_t> post;
  std::optional<uint64_t> dev;
  std::string local;  // "cu124", lower case; "" none

  static std::optional<PythonVersion> Parse(std::string_view text);
  // Without the local part. Missing numbers count as zero.
  std::strong_ordering ComparePublic(const PythonVersion& other) const;
};

// A specifier that is read once and held against many versions.
class SpecifierSet {
 public:
  explicit SpecifierSet(std::string_view specifier);
  // As Meets() below; `text` is the version as it is written.
  std::optional<bool> Accepts(const PythonVersion& version, std::string_view text) const;

 private:
  struct Clause {
    std::string_view op;  // of a constant; "" = it cannot be parsed
    PythonVersion wanted;
    std::string operand;
    bool any_tail = false;  // "==2.10.*"
  };
  static bool Accepts(const Clause& clause, const PythonVersion& version, std::string_view text);
  std::vector<Clause> clauses_;
};

// nullopt if the version or specifier cannot be parsed. An empty specifier accepts everything. Pre-releases
// count like other versions, as they do for installed packages.
std::optional<bool> Meets(std::string_view version, std::string_view specifier);

}  // namespace culprit::base
