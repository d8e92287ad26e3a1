// What is made of a run and the facts of its machine: live after `culprit run`, or from a record with
// `culprit explain FILE`.
#pragma once

#include <string>
#include <vector>

#include "cli/machine_facts.h"
#include "render/page/page.h"
#include "report/run.h"
#include "snapshot/record/run.h"

namespace culprit::cli {

struct RunAnswer {
  report::RunReport report;
  render::PageFacts page;  // filled for Format::kHtml alone
  bool in_time = false;    // false: somebody may still be reading files of the facts
};

// Plays what the program would load, puts what it did load beside it, lets the rules judge both, and
// explains. In time, as JudgeInTime says; 0: without a limit.
RunAnswer ExplainRunInTime(const Facts& facts, const record::Run& run, const Options& options, int seconds,
                           bool redact);

// In the format of the options. False if it could not be written; stderr says why.
bool WriteRun(const Options& options, const RunAnswer& answer, const snapshot::Snapshot& snapshot,
              bool redact);

// The interpreter among a run's processes, as the user's environment has it (.venv/bin/python, not what that
// links to); "" none.
std::string PythonOf(const system::System& machine, const record::Run& run);
// What of the run is played as a program: not an interpreter, whose imports are played instead.
std::vector<std::string> ProgramsOf(const record::Run& run);

}  // namespace culprit::cli
