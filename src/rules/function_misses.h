// Functions that a DLL asks of another one which does not have them: one entry for each pair of files.
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace culprit::rules {

struct FunctionMiss {
  const loader::Scenario* scenario = nullptr;
  std::string importer;                // path of the DLL or program that calls
  std::string dll;                     // path of the one that lacks it
  std::vector<std::string> functions;  // in the order of the import table
  bool cudnn = false;                  // both are parts of cuDNN
};

std::vector<FunctionMiss> FunctionMisses(const Scene& scene);

void Fire(const Scene& scene, const FunctionMiss& miss, Ruling& ruling);

}  // namespace culprit::rules
