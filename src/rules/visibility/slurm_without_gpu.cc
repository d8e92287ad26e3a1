// CUL2013: the Slurm job has no GPU.
#include "base/text.h"
#include "rules/kit/driver/driver_facts.h"
#include "rules/rule.h"

namespace culprit::rules::slurm_without_gpu {
namespace {

constexpr std::string_view kPage = R"md(
## What it means
This shell runs in a Slurm job that has no GPU.

## Why it breaks
Slurm gives a job only what it requested. Without --gres=gpu or --gpus it sets CUDA_VISIBLE_DEVICES to nothing (or NoDevFiles)
and hides the device nodes: "no CUDA-capable device is detected", though the node has GPUs.

## How culprit knows
SLURM_JOB_ID is set, no variable lists GPUs for the job, and CUDA_VISIBLE_DEVICES is empty or NoDevFiles.

## Fix
Request a GPU when you submit the job. Unsetting CUDA_VISIBLE_DEVICES takes other people's GPUs, if it works at all.

## When this is not your problem
The job is not meant to use a GPU.

## Sources
Slurm documentation, Generic Resource (GRES) Scheduling.
)md";

void Check(const Scene& scene, Ruling& ruling) {
  const std::string& job = Circumstances(scene).slurm_job;
  if (job.empty() || !scene.IsSet("CUDA_VISIBLE_DEVICES")) return ruling.NotApplicable();
  for (const char* name : {"SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE"}) {
    if (!scene.Variable(name).empty() && scene.Variable(name) != "0") return;
  }
  const std::string value(base::Trim(scene.Variable("CUDA_VISIBLE_DEVICES")));
  if (!value.empty() && value != "NoDevFiles" && value != "-1") return;
  report::Finding& finding = ruling.Fire("Slurm job " + job + " has no GPU", "SLURM_JOB_GPUS");
  finding.evidence.push_back({"CUDA_VISIBLE_DEVICES=" + value, "environment"});
  finding.evidence.push_back({"SLURM_JOB_GPUS is not set", "environment"});
  finding.fix = {.text = "request a GPU when you submit the job; do not unset CUDA_VISIBLE_DEVICES",
                 .commands = {"srun --gres=gpu:1 --pty bash"},
                 .risk = report::Risk::kNone,
                 .changes = {report::NotInFiles{"a job with a GPU",
                                                "Slurm decides that; run culprit again inside the new job"}}};
}

}  // namespace

extern const Rule kRule = {.code = "CUL2013",
                           .name = "slurm_without_gpu",
                           .family = Family::kVisibility,
                           .cause = "gpu-not-visible",
                           .severity = report::Severity::kWarning,
                           .where = Where::kLinux,
                           .since = "0.2.0",
                           .title = "the Slurm job did not request a GPU",
                           .page = kPage,
                           .check = Check};

}  // namespace culprit::rules::slurm_without_gpu
