// Why Windows does not find a DLL that is on the machine.
#pragma once

#include <string>

#include "rules/kit/loading/failed_loads.h"

namespace culprit::rules {

enum class Missed {
  kNotElsewhere,  // it is not on the machine, or this is not Windows: other rules report it
  kPathLeftOut,   // it is on PATH, but this load does not search PATH
  kNewShell,      // it is on PATH in the registry, but not in this process
  kNotSearched,   // it is in a directory that is not searched
};

struct MissedSearch {
  Missed kind = Missed::kNotElsewhere;
  std::string directory;  // the directory that contains it
  std::string source;     // kNewShell: whose PATH contains it
};
MissedSearch HowItIsMissed(const Scene& scene, const FailedLoad& failed);

}  // namespace culprit::rules
