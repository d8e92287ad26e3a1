// The cases of tests/rules/CODE.toml, and how culprit examines the machine of a case.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagnosis.h"
#include "system/system.h"

namespace culprit::model {

struct RuleCase {
  std::string code;
  std::string name;
  toml::table description;
};
void PrintTo(const RuleCase& one, std::ostream* out);

std::vector<std::string> Strings(const toml::table& table, std::string_view key);
std::vector<std::filesystem::path> TomlFiles(const std::filesystem::path& directory);
std::vector<RuleCase> AllCases();
// All of them; under the sanitizers, where each takes half a second, only every seventh.
std::vector<RuleCase> Sampled(std::vector<RuleCase> cases);
// "CUL3004_two_releases"
std::string CaseName(const RuleCase& one);

// Collects and simulates as the description says; not judged yet.
std::unique_ptr<engine::Diagnosis> Diagnose(const system::System& machine, const toml::table& description);

}  // namespace culprit::model
