// Functions that DLLs import from a DLL that does not export them: one entry for each DLL that lacks some.
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace culprit::rules {

struct FunctionMiss {
  const loader::Scenario* scenario = nullptr;
  std::string dll;  // path of the one that lacks them
  std::vector<loader::MissingExport> functions;
  bool cudnn = false;   // both it and the first importer belong to cuDNN
  bool of_any = false;  // as in MissingExport; `dll` may be ""
  // of_any: another copy of `dll` on this machine has them, so the wrong one is loaded.
  bool wrong_copy = false;
};

std::vector<FunctionMiss> FunctionMisses(const Scene& scene);
std::vector<FunctionMiss> FunctionMisses(const loader::Scenario& scenario);

void Fire(const Scene& scene, const FunctionMiss& miss, Ruling& ruling);

}  // namespace culprit::rules
