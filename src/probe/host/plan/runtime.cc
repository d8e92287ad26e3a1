// Jobs for the CUDA runtime, NVRTC and cuBLAS: one per copy of these libraries. The active environment comes
// first, then the toolkits, then other environments.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "probe/host/plan/cuda_files.h"
#include "probe/host/plan/parts.h"

namespace culprit::probe {
namespace {

constexpr size_t kMostCopies = 4;

struct Place {
  std::string root;
  std::vector<std::string> directories;
};

std::vector<Place> Places(const Planning& planning) {
  std::vector<Place> active, toolkits, others;
  for (const auto* environment : EnvironmentsInOrder(planning.snapshot)) {
    std::vector<Place>& list = environment->why == snapshot::EnvironmentWhy::kFound ? others : active;
    for (const std::string& site : environment->site_packages) {
      const std::string nvidia = base::JoinPath(site, "nvidia");
      list.push_back({nvidia, PackageDirectories(planning.snapshot, planning.view, nvidia)});
    }
    if (environment->kind == snapshot::EnvironmentKind::kConda)
      list.push_back(
          {environment->prefix, ToolkitDirectories(planning.snapshot, planning.view, environment->prefix)});
  }
  if (planning.snapshot.stack.toolkits) {
    for (const snapshot::Toolkit& toolkit : planning.snapshot.stack.toolkits->copies)
      toolkits.push_back({toolkit.root, ToolkitDirectories(planning.snapshot, planning.view, toolkit.root)});
  }
  active.insert(active.end(), toolkits.begin(), toolkits.end());
  active.insert(active.end(), others.begin(), others.end());
  return active;
}

// Each library once, however many symlinks lead to it.
std::string Identity(const Planning& planning, const CudaFiles& files) {
  std::string identity;
  for (const std::string& file : {files.cudart, files.nvrtc, files.cublas, files.cublaslt})
    identity += (file.empty() ? "" : planning.view.RealPath(file)) + '\n';
  return identity;
}

Job RuntimeJob(const Planning& planning, const std::string& root, uint32_t major, const CudaFiles& files) {
  Job job{.name = {"runtime", root},
          .title = "CUDA " + std::to_string(major) + " in " + root,
          .subject = root,
          .arguments = planning.Arguments(JobKind::kRuntime)};
  const auto add = [&](StepName step, const std::string& file) {
    if (file.empty()) return;
    job.steps.push_back(step);
    job.arguments.insert(job.arguments.end(),
                         {"--" + std::string(base::Word(step)), Native(planning.snapshot, file)});
  };
  add(StepName::kCudart, files.cudart);
  add(StepName::kNvrtc, files.nvrtc);
  add(StepName::kCublas, files.cublas);
  add(StepName::kCublasLt, files.cublaslt);
  // NVRTC opens it by name, and has no RUNPATH.
  if (!files.nvrtc.empty() && !files.nvrtc_builtins.empty())
    job.arguments.insert(job.arguments.end(), {"--preload", Native(planning.snapshot, files.nvrtc_builtins)});
  return job;
}

}  // namespace

void PlanRuntime(const Planning& planning) {
  std::set<std::string> seen;
  size_t planned = 0;
  for (const Place& place : Places(planning)) {
    const FoundCudaFiles found = FindCudaFiles(planning.snapshot, planning.view, place.directories);
    if (found.by_major.empty() && !found.other_cpu.empty()) {
      planning.NotRun({"runtime", place.root}, StepName::kCudart, found.other_cpu,
                      "is for another CPU; this machine is " + ThisCpu(planning.snapshot));
    }
    for (auto major = found.by_major.rbegin(); major != found.by_major.rend(); ++major) {
      Job job = RuntimeJob(planning, place.root, major->first, major->second);
      if (job.steps.empty() || !seen.insert(Identity(planning, major->second)).second) continue;
      if (!planning.has_device) {
        planning.NotRun(job.name, job.steps.front(), place.root, "needs a device, but CUDA shows none");
      } else if (++planned > kMostCopies && !planning.wishes.deep) {
        planning.NotRun(
            job.name, job.steps.front(), place.root,
            "only the first " + std::to_string(kMostCopies) + " copies are tested; --deep tests all");
      } else {
        planning.plan.jobs.push_back(std::move(job));
      }
    }
  }
}

}  // namespace culprit::probe
