#include "rule_case.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ostream>
#include <stdexcept>

#include "collect/process/process.h"
#include "made_up_probe.h"

namespace culprit::model {

namespace fs = std::filesystem;

std::vector<std::string> Strings(const toml::table& table, std::string_view key) {
  std::vector<std::string> values;
  const toml::node* node = table.get(key);
  if (node == nullptr) return values;
  if (node->as_array() == nullptr) throw std::runtime_error(std::string(key) + ": a list is wanted");
  for (const toml::node& item : *node->as_array()) {
    if (!item.is_string()) throw std::runtime_error(std::string(key) + ": texts are wanted");
    values.push_back(item.value_or(std::string()));
  }
  return values;
}

std::vector<fs::path> TomlFiles(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

void PrintTo(const RuleCase& one, std::ostream* out) { *out << one.code << ": " << one.name; }

std::vector<RuleCase> AllCases() {
  std::vector<RuleCase> cases;
  for (const fs::path& file : TomlFiles(CULPRIT_RULE_CASES)) {
    const toml::table table = toml::parse_file(file.string());
    const toml::array* array = table["case"].as_array();
    if (array == nullptr) throw std::runtime_error(file.string() + ": no [[case]]");
    for (const toml::node& node : *array) {
      const toml::table& one = *node.as_table();
      cases.push_back({file.stem().string(), one["name"].value_or(std::string()), one});
      if (const auto unproven = table["unproven"].value<std::string>(); unproven && !one.contains("unproven"))
        cases.back().description.insert_or_assign("unproven", *unproven);
    }
  }
  return cases;
}

std::vector<RuleCase> Sampled(std::vector<RuleCase> cases) {
  std::vector<RuleCase> taken;
  for (size_t i = 0; i < cases.size(); i += CULPRIT_CASE_STRIDE) taken.push_back(std::move(cases[i]));
  return taken;
}

std::string CaseName(const RuleCase& one) {
  std::string name = one.code + "_" + one.name;
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

std::unique_ptr<engine::Diagnosis> Diagnose(const system::System& machine, const toml::table& description) {
  engine::Subject subject{
      .machine = {std::shared_ptr<const void>(), &machine},
      .python = description["python"].value_or(std::string()),
      .environments = Strings(description, "environments"),
      .programs = Strings(description, "targets"),
      .builds = Strings(description, "builds"),
      .recipes = Strings(description, "recipes"),
      .verify = description["verify"].value_or(false),
      .host_unseen = description["root"].value_or(false) || description["image"].value_or(false),
      .image = description["image"].value_or(false),
      .host = description["host"].value_or(std::string()),
      .limit = std::chrono::minutes(1)};
  // A process of the machine: its files include /proc.
  if (const auto pid = description["process"].value<int64_t>()) {
    auto found = collect::LookAtProcess(machine, *pid);
    if (!found) throw std::runtime_error(found.error().message);
    subject.process = std::make_shared<const collect::ProcessLook>(std::move(*found));
  }
  auto diagnosis = std::make_unique<engine::Diagnosis>(std::move(subject));
  if (auto looked = diagnosis->Look(); !looked) throw std::runtime_error(looked.error().message);
  if (auto probed = MadeUpProbe(description)) diagnosis->AddProbe(std::move(*probed), {});
  diagnosis->Play();
  return diagnosis;
}

}  // namespace culprit::model
