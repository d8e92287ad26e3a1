// What is made of a run and the facts of its machine: live after `culprit run`, or from a record with
// `culprit explain FILE`.
#pragma once

#include <memory>

#include "cli/options.h"
#include "engine/diagnosis.h"
#include "render/page/page.h"
#include "report/run.h"
#include "snapshot/record/run.h"

namespace culprit::cli {

struct RunAnswer {
  report::RunReport report;
  render::PageFacts page;  // filled for Format::kHtml alone
};

// Puts what the program did load beside what it would load, lets the rules judge both, and explains.
RunAnswer ExplainRun(engine::Diagnosis& diagnosis, const std::shared_ptr<const record::Run>& run,
                     const Options& options, bool redact);

// In the format of the options. False if it could not be written; stderr says why.
bool WriteRun(const Options& options, const RunAnswer& answer, const snapshot::Snapshot& snapshot,
              bool redact);

}  // namespace culprit::cli
