// Failed probe steps, each with one kind of trouble. The live rules (CUL9xxx) share this list and each
// reports its own kind, so one broken thing gives one finding. If a static rule explains a failure, its
// finding is the answer and no live rule fires.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/kit/live/probe_explained.h"
#include "rules/rule.h"

namespace culprit::rules {

enum class Trouble {
  kExplained,         // by a finding of another rule
  kConsequence,       // of another failed step: no device there, so none here
  kOutOfMemory,       // CUL9001
  kComputeMode,       // CUL9002
  kDevicesDiffer,     // CUL9003
  kCudaDoesNotStart,  // CUL9004
  kCudnnMixed,        // CUL9005
  kCudnnPart,         // CUL9006
  kNoCode,            // CUL9007
  kPtxRefused,        // CUL9008
  kWrongResult,       // CUL9009
  kCrash,             // CUL9010
  kHang,              // CUL9011
  kFramework,         // CUL9013
  kNotBuilt,          // CUL9014
  kBuiltDoesNotRun,   // CUL9015
  kNotLoaded,         // CUL9016
  kOther,             // CUL9017
};

struct ProbeFailure {
  const snapshot::ProbeStep* step = nullptr;
  Trouble trouble = Trouble::kOther;
  const report::Finding* explained = nullptr;   // kExplained: from StaticFindings()
  const snapshot::ProbeStep* behind = nullptr;  // kConsequence: the step that decides
};

// The failures of one scene, with the findings of other rules that they refer to.
struct ProbeFailureList {
  std::vector<RuledFinding> findings;  // from all rules that need no probe
  std::vector<ProbeFailure> failures;  // in the order of the steps
};
// Computed on the first call for a scene; empty if nothing was probed.
const ProbeFailureList& ProbeFailures(const Scene& scene);
std::vector<const ProbeFailure*> FailuresOf(const Scene& scene, Trouble trouble);

}  // namespace culprit::rules
