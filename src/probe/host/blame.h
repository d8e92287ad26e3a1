// What it means for a step that its child ended during it.
#pragma once

#include <chrono>
#include <string>

#include "probe/host/protocol.h"
#include "probe/host/steps.h"
#include "system/child.h"

namespace culprit::probe {

// Fills in outcome, status, library and detail of `step`. `unasked`: a step that the child should not have
// reported, or kNone.
void Blame(snapshot::ProbeStep& step, const base::Result<system::ChildEnd>& end, const Transcript& transcript,
           StepName unasked, std::chrono::milliseconds limit);

}  // namespace culprit::probe
