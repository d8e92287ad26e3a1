// Jobs for frameworks: the user's own interpreter with a small script of ours.
#include <algorithm>

#include "probe/host/plan/cuda_files.h"
#include "probe/host/plan/framework_scripts.h"
#include "probe/host/plan/parts.h"

namespace culprit::probe {
namespace {

void PlanFramework(const Planning& planning, const std::string& framework) {
  const std::string script = FrameworkScript(framework);
  if (script.empty()) {
    planning.NotRun(framework, StepName::kImport, framework, "is not a framework that culprit can test");
    return;
  }
  std::string interpreter = planning.wishes.python, version;
  if (interpreter.empty()) {
    for (const auto* environment : EnvironmentsInOrder(planning.snapshot)) {
      const auto found = std::ranges::find(environment->frameworks, framework, &snapshot::Framework::name);
      if (found == environment->frameworks.end() || environment->interpreter.empty()) continue;
      interpreter = environment->interpreter;
      version = " " + found->version;
      break;
    }
  }
  if (interpreter.empty()) {
    planning.NotRun(framework, StepName::kImport, framework,
                    "no Python environment with " + framework + " found; pass --python");
    return;
  }
  Job job{.name = {framework, interpreter},
          .title = framework + version,
          .subject = interpreter,
          .program = interpreter,
          .arguments = {"-B", "-c", script},  // -B: write no .pyc files
          .steps = {StepName::kImport, StepName::kFrameworkDevices, StepName::kFrameworkConvolution},
          .patience = 4};
  if (!planning.wishes.device.empty())
    job.arguments.insert(job.arguments.end(), {"--device", planning.wishes.device});
  planning.plan.jobs.push_back(std::move(job));
}

}  // namespace

void PlanFrameworks(const Planning& planning) {
  for (const std::string& framework : planning.wishes.frameworks) PlanFramework(planning, framework);
}

}  // namespace culprit::probe
