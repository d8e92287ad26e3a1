// The variables of data/variables.toml that are set here and that something here reads.
#pragma once

#include <string>
#include <vector>

#include "knowledge/variables.h"
#include "rules/rule.h"

namespace culprit::rules {

struct ReadVariable {
  const knowledge::VariableRow* row = nullptr;
  std::string value;                                         // the part that the row is about
  const snapshot::PythonEnvironment* environment = nullptr;  // of a package that reads it; nullptr: a tool
  std::string reader;                                        // "jax 0.10.2 in /opt/venv", "nvcc"
};
// Of that kind, with the first reader of each.
std::vector<ReadVariable> ReadVariables(const Scene& scene, knowledge::VariableKind kind);

// A finding about one of them: the variable is the subject, with the evidence.
report::Finding& FireVariable(Ruling& ruling, const ReadVariable& read, std::string summary);
// Takes the variable away; of a list of flags only the one that counts.
report::Fix WithoutVariable(const Scene& scene, const ReadVariable& read, std::string text);

}  // namespace culprit::rules
