// Plans for the files of a project: reads them, asks, and asks again if their markers depend on a Python that
// the plan chose otherwise.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/options.h"
#include "plan/question.h"
#include "report/plan.h"

namespace culprit::cli {

struct ProjectOptions {
  const Options& common;
  std::vector<std::string> files, extras, groups;
};

struct SolvedProject {
  report::Plan plan;
  bool conda = false;  // a file of conda is among them
};

// `question` becomes what was asked in the end.
base::Result<SolvedProject> SolveProject(const ProjectOptions& options, plan::Question& question);

}  // namespace culprit::cli
