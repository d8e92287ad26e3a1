// Why Windows does not find a DLL that is on the machine.
#pragma once

#include <string>

#include "rules/kit/loading/failed_loads.h"

namespace culprit::rules {

enum class Missed {
  kNotElsewhere,  // it is not on the machine, or not on Windows: others speak
  kPathLeftOut,   // it is on PATH, and this load leaves PATH out
  kNewShell,      // it is on PATH of the registry, and not of this process
  kNotSearched,   // it is where nobody looks
};

struct MissedSearch {
  Missed kind = Missed::kNotElsewhere;
  std::string directory;  // that holds it
  std::string source;     // kNewShell: whose PATH names it
};
MissedSearch HowItIsMissed(const Scene& scene, const FailedLoad& failed);

}  // namespace culprit::rules
