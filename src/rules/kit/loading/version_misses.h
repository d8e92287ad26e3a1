// Symbol versions that a loaded file does not have: "version `GLIBC_2.38' not found (required by ...)".
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace culprit::rules {

struct VersionMiss {
  const loader::Scenario* scenario = nullptr;
  std::string file;     // that was loaded and does not have it
  std::string version;  // "GLIBC_2.38"
  std::string asker;    // the file that wants it
  std::string words;    // of the loader
};

std::vector<VersionMiss> VersionMisses(const Scene& scene);

}  // namespace culprit::rules
