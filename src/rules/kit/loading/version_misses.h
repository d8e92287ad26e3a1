// Symbol versions that a loaded file does not have: "version `GLIBC_2.38' not found (required by ...)".
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace culprit::rules {

struct VersionMiss : loader::MissingVersion {
  const loader::Scenario* scenario = nullptr;
  std::string words;  // the loader's message
};

std::vector<VersionMiss> VersionMisses(const Scene& scene);

}  // namespace culprit::rules
