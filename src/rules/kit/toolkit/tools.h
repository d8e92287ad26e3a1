// The programs and data files of data/tools.toml, as who needs them here would find them.
#pragma once

#include <string>
#include <vector>

#include "knowledge/tools.h"
#include "rules/rule.h"

namespace culprit::rules {

enum class ToolTrouble {
  kNone,
  kMissing,        // in none of its places
  kDangling,       // a symlink whose target is gone, and no other place has it
  kNotExecutable,  // a program without x bits
  kDamaged,        // empty, or shorter than its headers say
  kUnknown,        // a place was not recorded
};

struct ToolUse {
  const knowledge::ToolRow* row = nullptr;
  const snapshot::PythonEnvironment* environment = nullptr;  // of the package that needs it
  const snapshot::PythonPackage* package = nullptr;          // that needs it
  const snapshot::Toolkit* toolkit = nullptr;                // whose nvcc needs it
  std::string user;                                          // "triton 3.2.0 in /opt/venv"
  std::vector<std::string> places;                           // where it is looked for, in order
  std::string path;                                          // the file that decides; "" none
  ToolTrouble trouble = ToolTrouble::kNone;
};

// Every tool that somebody here needs.
std::vector<ToolUse> ToolUses(const Scene& scene);

// The release of CUDA that a tool comes from: that of its toolkit or package; "" if not known.
std::string CudaOfTool(const Scene& scene, const ToolUse& use);

// CUDA_HOME, otherwise CUDA_PATH; "" if neither is set.
std::string CudaHome(const Scene& scene);

}  // namespace culprit::rules
