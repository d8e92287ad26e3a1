// data/variables.toml: environment variables that decide at run time, or during a build.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::knowledge {

enum class VariableKind : uint8_t {
  kOff,        // switches the GPU off
  kFile,       // names a file
  kDirectory,  // names a directory with something in it
  kArchs,      // a list of architectures
};

struct VariableRow {
  std::string_view name;
  std::string_view flag;  // the value is a list of flags, and this one counts; "" = the value itself
  VariableKind kind;
  std::span<const std::string_view> off_values;
  std::span<const std::string_view>
      on_values;  // the value is a list, and without one of these the GPU is off
  std::span<const std::string_view> holds;
  bool falls_back;          // who reads it does without, where the path is not there
  std::string_view reader;  // "jax", "tool:nvcc"
  std::string_view cause;   // of a finding about a path that is not there
  std::string_view effect;
  std::string_view source;
};
std::span<const VariableRow> Variables();

// The part of a variable's value that the row is about; "" if it says nothing.
std::string ValueFor(const VariableRow& row, std::string_view value);
// Whether that value switches the GPU off.
bool SwitchesOff(const VariableRow& row, std::string_view value);
// "8.0 9.0+PTX" and "80;90a-real" as codes for CodeRunsOn(): "8.0", "9.0+PTX". Empty if a word is not
// understood.
std::vector<std::string> CodesInList(std::string_view value);

}  // namespace culprit::knowledge
