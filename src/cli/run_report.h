// The answer about a run: right after `culprit run`, or later from its record with `culprit explain FILE`.
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
  render::PageFacts page;  // only for Format::kHtml
};

// Compares what the program loaded with what it would load now, judges both, and explains the failure.
RunAnswer ExplainRun(engine::Diagnosis& diagnosis, const std::shared_ptr<const record::Run>& run,
                     const Options& options);

// False if it could not be written; stderr says why.
bool WriteRun(const Options& options, const RunAnswer& answer, const snapshot::Snapshot& snapshot);

}  // namespace culprit::cli
