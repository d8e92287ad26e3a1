#include "rules/kit/variables/variable_facts.h"

#include <algorithm>

#include "rules/kit/toolkit/toolkit_facts.h"
#include "rules/kit/variables/variable_fixes.h"

namespace culprit::rules {
namespace {

constexpr std::string_view kTool = "tool:";

// Fills in who reads the row's variable; false if nobody does.
bool FindReader(const Scene& scene, ReadVariable& read) {
  const std::string_view reader = read.row->reader;
  if (reader.starts_with(kTool)) {
    read.reader = reader.substr(kTool.size());
    return !Compilers(scene).empty();
  }
  if (!scene.stack().environments) return false;
  for (const snapshot::PythonEnvironment& environment : *scene.stack().environments) {
    const snapshot::PythonPackage* package = environment.Find(std::string(reader));
    if (package == nullptr) continue;
    read.environment = &environment;
    read.reader = package->name + " " + package->version + " in " + environment.prefix;
    return true;
  }
  return false;
}

}  // namespace

std::vector<ReadVariable> ReadVariables(const Scene& scene, knowledge::VariableKind kind) {
  std::vector<ReadVariable> all;
  for (const knowledge::VariableRow& row : knowledge::Variables()) {
    if (row.kind != kind) continue;
    ReadVariable read{.row = &row, .value = ValueFor(row, scene.Variable(std::string(row.name)))};
    if (read.value.empty() || !FindReader(scene, read)) continue;
    const bool known = std::ranges::any_of(all, [&](const ReadVariable& other) {
      return other.row->name == row.name && other.row->flag == row.flag;
    });
    if (!known) all.push_back(std::move(read));
  }
  return all;
}

report::Finding& FireVariable(Ruling& ruling, const ReadVariable& read, std::string summary) {
  const std::string name(read.row->name);
  report::Finding& finding = ruling.Fire(std::move(summary), name);
  finding.affects.push_back(read.reader);
  finding.evidence.push_back({read.row->flag.empty()
                                  ? name + "=" + read.value
                                  : name + " contains " + std::string(read.row->flag) + "=" + read.value,
                              "environment"});
  finding.evidence.push_back({std::string(read.row->effect), std::string(read.row->source)});
  return finding;
}

report::Fix WithoutVariable(const Scene& scene, const ReadVariable& read, std::string text) {
  const std::string name(read.row->name), flag(read.row->flag);
  const std::string rest =
      flag.empty() ? "" : WithoutEntries(scene.Variable(name), " \t", [&](const std::string& word) {
        return word.starts_with(flag + "=");
      });
  return SetOrUnset(scene, name, rest, std::move(text));
}

}  // namespace culprit::rules
